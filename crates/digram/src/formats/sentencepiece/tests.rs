//! Small files, made by hand.
