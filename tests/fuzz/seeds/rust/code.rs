//! Kilns.
use std::fmt;
/// Fires.
#[inline]
pub fn fire<T: Into<u8>>(heat: T) -> u8 { let x = r#"a"#; heat.into() }
impl fmt::Display for K { fn fmt(&self) -> fmt::Result { Ok(()) } }
macro_rules! m { () => {} }
mod a { pub struct S { b: u8 } enum E { A(u8), B } }
