//! A relay before a server that can be told to break the line.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A relay; it ends with the test's runtime.
pub struct Relay {
    pub address: SocketAddr,
    left: Arc<AtomicI64>,
    connections: Arc<AtomicUsize>,
    cut: Arc<Notify>,
    server: Arc<Mutex<SocketAddr>>,
}

impl Relay {
    /// A relay that carries everything.
    pub async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let relay = Self {
            address: listener.local_addr().unwrap(),
            left: Arc::new(AtomicI64::new(i64::MAX)),
            connections: Arc::default(),
            cut: Arc::default(),
            server: Arc::new(Mutex::new(server)),
        };
        let leads = Arc::clone(&relay.server);
        let (left, connections, cut) =
            (Arc::clone(&relay.left), Arc::clone(&relay.connections), Arc::clone(&relay.cut));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let to = *leads.lock().unwrap();
                let Ok(server) = TcpStream::connect(to).await else { continue };
                tokio::spawn(carry(client, server, Arc::clone(&left), Arc::clone(&cut)));
            }
        });
        relay
    }

    /// Breaks the line once, after so many more bytes from the client.
    pub fn cut_after(&self, bytes: i64) {
        self.left.store(bytes, Ordering::SeqCst);
    }

    /// Breaks every line now.
    pub fn cut_now(&self) {
        self.cut.notify_waiters();
    }

    /// Leads new connections elsewhere.
    pub fn lead_to(&self, server: SocketAddr) {
        *self.server.lock().unwrap() = server;
    }

    /// How many connections there have been.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn carry(client: TcpStream, server: TcpStream, left: Arc<AtomicI64>, cut: Arc<Notify>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let count = from_client.read(&mut buffer).await.unwrap_or(0);
            if count == 0 || to_server.write_all(&buffer[..count]).await.is_err() {
                return;
            }
            if left.fetch_sub(count as i64, Ordering::SeqCst) - (count as i64) < 0 {
                left.store(i64::MAX, Ordering::SeqCst);
                return;
            }
        }
    };
    tokio::select! {
        () = up => {}
        _ = tokio::io::copy(&mut from_server, &mut to_client) => {}
        () = cut.notified() => {}
    }
}
