//! NCP against tshark and captures of real clients and servers.

mod captures;
mod fields;
