//! windlass-ui
