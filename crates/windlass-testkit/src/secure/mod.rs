//! HTTPS in front of a [`Receiver`](crate::Receiver), with a certificate that only an authority of the tests vouches for, as in a company.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The authority, as a file of certificates holds it. Its key is gone.
pub const AUTHORITY: &str = include_str!("authority.pem");

/// Listens on a port of its own until it is dropped.
#[derive(Debug)]
pub struct SecureFront {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    acceptor: Option<JoinHandle<()>>,
}

impl SecureFront {
    /// Passes requests without a body on to `to`, which closes each connection, and its answers back.
    pub fn of(to: SocketAddr) -> SecureFront {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on 127.0.0.1");
        let address = listener.local_addr().expect("the port that was bound");
        let stopping = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stopping);
        let config = Arc::new(config());
        let acceptor = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if told.load(Ordering::SeqCst) {
                    break;
                }
                // Whoever does not trust the certificate hangs up: nobody's concern.
                drop(pass_on(stream, &config, to));
            }
        });
        SecureFront { address, stopping, acceptor: Some(acceptor) }
    }

    /// Its address, without a path.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }
}

impl Drop for SecureFront {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // Wakes the acceptor; it is waiting, or already on its way out.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn config() -> ServerConfig {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("server.key")).expect("its key");
    ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions that the provider has")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate and its key")
}

fn pass_on(from: TcpStream, config: &Arc<ServerConfig>, to: SocketAddr) -> io::Result<()> {
    let connection = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
    let mut client = StreamOwned::new(connection, from);
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && client.read(&mut byte)? == 1 {
        request.extend_from_slice(&byte);
    }
    let mut server = TcpStream::connect(to)?;
    server.write_all(&request)?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    client.write_all(&answer)?;
    client.conn.send_close_notify();
    client.flush()
}
