//! The bundle: one file that stock tools can list, and that is verified before anything in it is used.
//!
//! ```text
//! empty zstd frame │ skippable frame: header, signatures, statement, index │ data: zstd frames whose plain text is a tar
//! ```
//!
//! The statement is signed and names the index's digest. The index names every member with its digest, and for compressed
//! members the digest of each compressed frame. Everything else in the file (frame headers, tar headers, padding) has one
//! possible value, which a reader regenerates and compares. So there is no byte that could be changed unnoticed.
//!
//! `docs/bundle-format.md` describes it for people who want to read it without us.

mod accepted;
mod frame;
mod front;
mod index;
mod layout;
mod pack;
mod read;
mod receipt;
mod set;
mod signature;
mod source;
mod statement;
mod ticket;
mod volume;

pub use accepted::{Accepted, Standing, TooOld};
pub use frame::{PLAIN_MAX, compress};
pub use index::{Elsewhere, Encoding, Frame, Index, Member};
pub use layout::{MemberPath, NotAMember};
pub use pack::{Packer, Plan};
pub use read::{Bad, Bundle, Refusal, Unverified, Verified};
pub use receipt::{NotAReceipt, Receipt};
pub use set::BundleSet;
pub use signature::{KeyId, PublicKey, Signature, TrustedKeys, sign};
pub use source::{ReadAt, WriteAt};
pub use statement::{Base, FORMAT, Statement};
pub use ticket::{BadTicket, Ticket};
pub use volume::{VolumeHead, Volumes};
