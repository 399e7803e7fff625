//! An SSH server in this process that writes down everything that is said to it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use russh::keys::{Algorithm, PrivateKey, PublicKey};
use russh::server::{Auth, ChannelOpenHandle, Config, Handler, Msg, Response, Session};
use russh::{Channel, ChannelId, MethodKind, MethodSet, Preferred};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::process::{ChildStdin, Command};

/// What is accepted and what was said.
pub struct Server {
    pub address: SocketAddr,
    pub key: PublicKey,
    heard: Arc<Mutex<Vec<String>>>,
}

/// How a user gets in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lets {
    /// With this password.
    Password(&'static str),
    /// With this answer to a question.
    Answer(&'static str),
}

impl Server {
    /// A server with a new key.
    pub async fn start(lets: Lets) -> Self {
        Self::with(lets, Preferred::default()).await
    }

    /// A server that offers only these algorithms.
    pub async fn with(lets: Lets, preferred: Preferred) -> Self {
        let key = PrivateKey::random(&mut russh::keys::key::safe_rng(), Algorithm::Ed25519).unwrap();
        let public = key.public_key().clone();
        let methods = match lets {
            Lets::Password(_) => MethodKind::Password,
            Lets::Answer(_) => MethodKind::KeyboardInteractive,
        };
        let config = Arc::new(Config {
            keys: vec![key],
            preferred,
            methods: MethodSet::from([methods].as_slice()),
            auth_rejection_time: std::time::Duration::ZERO,
            auth_rejection_time_initial: Some(std::time::Duration::ZERO),
            ..Config::default()
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let heard = Arc::new(Mutex::new(vec![]));
        let server = Self { address: listener.local_addr().unwrap(), key: public, heard: Arc::clone(&heard) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let client = Client { lets, heard: Arc::clone(&heard), programs: HashMap::new() };
                client.hear("connection");
                if let Ok(session) = russh::server::run_stream(Arc::clone(&config), stream, client).await {
                    tokio::spawn(session);
                }
            }
        });
        server
    }

    /// Everything that was said, in order.
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    /// How many of the things said begin so.
    pub fn count(&self, beginning: &str) -> usize {
        self.heard().iter().filter(|said| said.starts_with(beginning)).count()
    }
}

struct Client {
    lets: Lets,
    heard: Arc<Mutex<Vec<String>>>,
    programs: HashMap<ChannelId, ChildStdin>,
}

impl Client {
    fn hear(&self, said: impl Into<String>) {
        self.heard.lock().unwrap().push(said.into());
    }

    fn verdict(&self, good: bool) -> Auth {
        if good { Auth::Accept } else { Auth::reject() }
    }
}

impl Handler for Client {
    type Error = russh::Error;

    async fn auth_none(&mut self, user: &str) -> Result<Auth, Self::Error> {
        self.hear(format!("login none {user}"));
        Ok(Auth::reject())
    }

    async fn auth_password(&mut self, user: &str, password: &str) -> Result<Auth, Self::Error> {
        self.hear(format!("login password {user}"));
        Ok(self
            .verdict(self.lets == Lets::Password("") || matches!(self.lets, Lets::Password(good) if good == password)))
    }

    async fn auth_publickey_offered(&mut self, user: &str, _: &PublicKey) -> Result<Auth, Self::Error> {
        self.hear(format!("login key {user}"));
        Ok(Auth::reject())
    }

    async fn auth_keyboard_interactive<'a>(
        &'a mut self,
        user: &str,
        _: &str,
        response: Option<Response<'a>>,
    ) -> Result<Auth, Self::Error> {
        self.hear(format!("login question {user}"));
        let Lets::Answer(good) = self.lets else { return Ok(Auth::reject()) };
        match response {
            None => Ok(Auth::Partial {
                name: Cow::Borrowed(""),
                instructions: Cow::Borrowed(""),
                prompts: Cow::Owned(vec![(Cow::Borrowed("Passwort: "), false)]),
            }),
            Some(mut answers) => {
                let answer = answers.next();
                Ok(self.verdict(answer.is_some_and(|answer| answer.as_ref() == good.as_bytes())))
            }
        }
    }

    async fn channel_open_session(
        &mut self,
        _: Channel<Msg>,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), Self::Error> {
        reply.accept().await;
        Ok(())
    }

    async fn exec_request(
        &mut self,
        channel: ChannelId,
        line: &[u8],
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        let line = String::from_utf8_lossy(line).into_owned();
        self.hear(format!("exec {line}"));
        session.channel_success(channel)?;
        let mut child = Command::new("sh")
            .args(["-c", &line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.programs.insert(channel, child.stdin.take().unwrap());
        let handle = session.handle();
        tokio::spawn(async move {
            let mut output = vec![];
            let _ = child.stdout.take().unwrap().read_to_end(&mut output).await;
            let code = child.wait().await.unwrap().code().unwrap_or(255);
            let _ = handle.data(channel, output).await;
            let _ = handle.exit_status_request(channel, u32::try_from(code).unwrap()).await;
            let _ = handle.close(channel).await;
        });
        Ok(())
    }

    async fn data(&mut self, channel: ChannelId, data: &[u8], _: &mut Session) -> Result<(), Self::Error> {
        if let Some(stdin) = self.programs.get_mut(&channel) {
            let _ = stdin.write_all(data).await;
        }
        Ok(())
    }

    async fn channel_eof(&mut self, channel: ChannelId, _: &mut Session) -> Result<(), Self::Error> {
        self.programs.remove(&channel);
        Ok(())
    }
}
