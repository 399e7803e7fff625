//! `ticket`: a site's signed permission to use a bundle that is older or expired.

use std::path::PathBuf;

use clap::Args;
use ed25519_dalek::SigningKey;
use kubexm_model::bundle::{PublicKey, Ticket, TrustedKeys};
use kubexm_model::console::bundle::{Found, now, refused};
use kubexm_model::console::{Exit, Failure, output};

use super::options::SigningArgs;

#[derive(Debug, Args)]
pub(crate) struct TicketCommand {
    /// The bundle that it allows, or any of its volumes; whoever signs the ticket must have signed the bundle too
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,

    #[command(flatten)]
    signing: SigningArgs,

    /// A further folder with volumes of it
    #[arg(long, value_name = "DIR")]
    volumes: Vec<PathBuf>,

    /// For how many days it can be used
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    days: u64,

    /// The ticket
    #[arg(short, long, value_name = "FILE", default_value = "ticket.json")]
    out: PathBuf,
}

const DAY: u64 = 24 * 60 * 60;

impl TicketCommand {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let keys = self.signing.read()?;
        let trusted = TrustedKeys::any_of(keys.iter().map(PublicKey::from));
        let bundle = Found::at(&self.bundle, &self.volumes)?.open()?;
        let bundle = bundle.verify(&trusted).map_err(|refusal| {
            refused(&self.bundle, &refusal)
                .hint("look at it, co-sign it with `kubexm-bundle sign`, then make the ticket")
        })?;
        let Some(key) = keys.first() else { return Err(Failure::usage("no key signs the ticket")) };
        let ticket = Ticket::of(&bundle, now() + self.days * DAY);
        self.write(&ticket, key)?;
        output::text(&format!(
            "{}: for sequence {} of channel {}\n",
            self.out.display(),
            ticket.sequence,
            ticket.channel
        ))
    }

    fn write(&self, ticket: &Ticket, key: &SigningKey) -> Result<(), Failure> {
        let text = ticket.sign(key).map_err(|error| Failure::output(&error))?;
        fs_err::write(&self.out, text).map_err(|error| {
            Failure::new(Exit::Failed, format!("{} cannot be written", self.out.display())).because(&error)
        })
    }
}
