//! Tells the compiler what Python this is built for: with or without the global lock.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
