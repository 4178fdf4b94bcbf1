use super::*;

/// Outputs as the tools print them, and the line that names the failure.
const OUTPUTS: &[(&str, &str, &str)] = &[
    (
        "cargo test",
        "running 2 tests\ntest tests::adds ... ok\ntest tests::divides ... FAILED\n\nfailures:\n\n---- tests::divides stdout ----\nthread 'tests::divides' panicked at src/lib.rs:14:9:\nassertion failed\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\nfailures:\n    tests::divides\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`\n",
        "test tests::divides ... FAILED",
    ),
    (
        "cargo nextest",
        "        PASS [   0.004s] ledger tests::adds\n        FAIL [   0.003s] ledger tests::divides\n     Summary [   0.005s] 2 tests run: 1 passed, 1 failed\nerror: test run failed\n",
        "FAIL [   0.003s] ledger tests::divides",
    ),
    (
        "cargo build",
        "   Compiling ledger v0.1.0\n\u{1b}[1m\u{1b}[38;5;9merror[E0308]\u{1b}[0m: mismatched types\n  --> src/lib.rs:3:5\n   |\n3  |     \"\"\n   |     ^^ expected `u8`, found `&str`\n\nerror: aborting due to 1 previous error\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `ledger` (lib) due to 1 previous error\n",
        "error[E0308]: mismatched types",
    ),
    (
        "pytest",
        "collected 4 items\n\ntests/test_sum.py .F..                       [100%]\n\n    def test_sum():\n>       assert add(1, 2) == 4\nE       assert 3 == 4\n\ntests/test_sum.py:5: AssertionError\n=========== short test summary info ===========\nFAILED tests/test_sum.py::test_sum - assert 3 == 4\n========= 1 failed, 3 passed in 0.03s =========\n",
        "FAILED tests/test_sum.py::test_sum - assert 3 == 4",
    ),
    (
        "pytest, nothing collected",
        "==== ERRORS ====\nE   ModuleNotFoundError: No module named 'ledger'\n=== short test summary info ===\nERROR tests/test_sum.py\n!!! Interrupted: 1 error during collection !!!\n=== 1 error in 0.09s ===\n",
        "ERROR tests/test_sum.py",
    ),
    (
        "jest",
        "FAIL src/sum.test.js\n  ✓ adds nothing (2 ms)\n  ✕ adds 1 + 2 (3 ms)\n\n  ● sum › adds 1 + 2\n\n    expect(received).toBe(expected)\n\nTests:       1 failed, 1 passed, 2 total\nTime:        0.5 s\nRan all test suites.\n",
        "● sum › adds 1 + 2",
    ),
    (
        "jest, a suite that does not run",
        "FAIL src/sum.test.js\n  ● Test suite failed to run\n\n    Cannot find module './sum' from 'src/sum.test.js'\n\nTests:       0 total\nRan all test suites.\n",
        "Cannot find module './sum' from 'src/sum.test.js'",
    ),
    (
        "vitest",
        " RUN  v2.1.0 /home/ada\n\n ❯ src/sum.test.ts (2 tests | 1 failed) 5ms\n   × sum > adds 1 + 2 3ms\n\n FAIL  src/sum.test.ts > sum > adds 1 + 2\nAssertionError: expected 3 to be 4\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n",
        "× sum > adds 1 + 2 3ms",
    ),
    (
        "go test",
        "=== RUN   TestSum\n    sum_test.go:8: got 3, want 4\n--- FAIL: TestSum (0.00s)\nFAIL\nexit status 1\nFAIL\texample.org/ledger\t0.002s\nFAIL\n",
        "--- FAIL: TestSum (0.00s)",
    ),
    ("go build", "# example.org/ledger\n./sum.go:3:9: undefined: add\n", "./sum.go:3:9: undefined: add"),
    (
        "make, a compiler",
        "cc -c sum.c\nsum.c: In function 'main':\nsum.c:4:3: warning: unused variable 'y'\nsum.c:5:3: error: 'x' undeclared (first use in this function)\nmake: *** [Makefile:2: sum.o] Error 1\n",
        "sum.c:5:3: error: 'x' undeclared (first use in this function)",
    ),
    (
        "make, a script",
        "sh test.sh\nFAIL: greeting is wrong\n\nmake: *** [Makefile:2: test] Error 1\n",
        "FAIL: greeting is wrong",
    ),
    (
        "make, no rule",
        "make: *** No rule to make target 'tset'.  Stop.\n",
        "make: *** No rule to make target 'tset'.  Stop.",
    ),
    (
        "npm test",
        "> ledger@1.0.0 test\n> node test.js\n\nthe sum is wrong: 3, not 4\nnpm ERR! Test failed.  See above for more details.\n",
        "the sum is wrong: 3, not 4",
    ),
    (
        "npm run",
        "npm error Missing script: \"tset\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run\nnpm error A complete log of this run can be found in: /home/ada/.npm/_logs/x.log\n",
        "npm error Missing script: \"tset\"",
    ),
    (
        "tsc",
        "src/sum.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/sum.ts(9,1): error TS2304: Cannot find name 'y'.\n",
        "src/sum.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    ),
    (
        "tsc, for people",
        "src/sum.ts:3:5 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n3 let x: number = \"\";\n      ~\n\n\nFound 1 error in src/sum.ts:3\n\n",
        "src/sum.ts:3:5 - error TS2322: Type 'string' is not assignable to type 'number'.",
    ),
    (
        "eslint",
        "\n/home/ada/src/sum.js\n  2:7  warning  'y' is never used  no-unused-vars\n  3:5  error    'x' is not defined  no-undef\n\n✖ 2 problems (1 error, 1 warning)\n\n",
        "3:5  error    'x' is not defined  no-undef",
    ),
    (
        "gradle test",
        "> Task :test FAILED\n\nSumTest > adds() FAILED\n    org.opentest4j.AssertionFailedError at SumTest.java:9\n\n2 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n\n* Try:\n> Run with --info option to get more log output.\n\nBUILD FAILED in 2s\n3 actionable tasks: 3 executed\n",
        "SumTest > adds() FAILED",
    ),
    (
        "gradle build",
        "> Task :compileJava FAILED\n/home/ada/src/Sum.java:3: error: cannot find symbol\n    int x = y;\n            ^\n1 error\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':compileJava'.\n\nBUILD FAILED in 1s\n1 actionable task: 1 executed\n",
        "/home/ada/src/Sum.java:3: error: cannot find symbol",
    ),
    (
        "python",
        "Traceback (most recent call last):\n  File \"sum.py\", line 3, in <module>\n    add(1)\nTypeError: add() missing 1 required positional argument: 'b'\n",
        "TypeError: add() missing 1 required positional argument: 'b'",
    ),
    ("a shell", "sh: 1: tset: not found\n", "sh: 1: tset: not found"),
    ("a bar", "10%\r50%\rdone, 2 wrong\n", "done, 2 wrong"),
    ("TAP", "TAP version 14\n1..2\nok 1 - adds\nnot ok 2 - divides\n", "not ok 2 - divides"),
    ("unknown", "first\n\nlast words \n\n", "last words"),
    ("noise alone", "make: *** [Makefile:2: test] Error 1\n", "make: *** [Makefile:2: test] Error 1"),
    ("nothing", "\n\n", ""),
];

#[test]
fn the_line_that_names_the_failure_is_told() {
    for (tool, output, expected) in OUTPUTS {
        assert_eq!(telling_line(output), *expected, "{tool}");
    }
}

#[test]
fn whatever_is_printed_a_line_of_it_is_told() {
    for output in
        ["\u{1b}[", "\u{1b}[31", "é\u{1b}é", "\r\r", ":", "a:1:", ".:1:2:", "FAIL ", "test ... FAILED"]
    {
        let told = telling_line(output);
        assert!(!told.contains(['\u{1b}', '\n', '\r']), "{output:?}: {told:?}");
    }
}
