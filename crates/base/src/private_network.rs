//! Keeps requests out of private networks. An address that an assistant, a page or a redirect
//! supplies could otherwise reach a service that only this machine or its network can see.
//!
//! The check is part of name resolution, and again of connecting: the client connects to the
//! addresses that were checked. A name that resolves differently the next time (DNS rebinding) is
//! checked again for the next connection, and so is the name in a redirect. Behind a proxy, the
//! proxy resolves names, and its rules apply.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport,
};
use ureq::{Agent, Error};

/// The environment variable with the hosts that may be at private addresses, separated by commas
/// or spaces.
const VARIABLE: &str = "FINDLING_PRIVATE_SITES";

/// A host at an address that is not public.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "expected a public address, found {address} of {host}, a private one; if you trust this host, \
     list it: {VARIABLE}={host}"
)]
pub struct PrivateAddress {
    /// The host, as named in the request.
    pub host: String,
    /// The private address.
    pub address: IpAddr,
}

/// The hosts that may be at private addresses.
#[derive(Clone, Debug, Default)]
pub struct PrivateHosts(Vec<String>);

impl PrivateHosts {
    /// Returns the hosts that [`VARIABLE`] lists. A project's settings cannot list any, because
    /// they come with files from other people.
    pub fn of_environment() -> Self {
        Self::parse(&std::env::var(VARIABLE).unwrap_or_default())
    }

    /// Reads a list of hosts separated by commas or spaces.
    pub fn parse(list: &str) -> Self {
        let hosts = list.split([',', ' ']).filter(|host| !host.is_empty());
        Self(hosts.map(|host| without_brackets(host).to_ascii_lowercase()).collect())
    }

    /// Adds a host that a person named explicitly.
    pub fn and(mut self, host: &str) -> Self {
        self.0.push(without_brackets(host).to_ascii_lowercase());
        self
    }

    /// Checks an address of a host. A name of this machine leads to this machine or nowhere.
    ///
    /// # Errors
    /// [`PrivateAddress`] unless the address is public or the host is listed.
    pub fn check(&self, host: &str, address: IpAddr) -> Result<(), PrivateAddress> {
        let host = without_brackets(host).to_ascii_lowercase();
        let is_listed = self.0.contains(&host);
        let is_allowed = match is_this_machine(&host) {
            true => is_listed && address.is_loopback(),
            false => is_listed || is_public(address),
        };
        if is_allowed { Ok(()) } else { Err(PrivateAddress { host, address }) }
    }
}

/// Returns whether a host, without a port, is this machine by its very name.
pub fn is_this_machine(host: &str) -> bool {
    let host = without_brackets(host);
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

/// Returns a client that connects to public addresses, and to private ones of the hosts that are
/// listed.
pub fn agent(config: Config, hosts: PrivateHosts) -> Agent {
    let resolver = CheckedResolver { hosts: hosts.clone(), system: DefaultResolver::default() };
    Agent::with_parts(config, CheckedConnector::new(hosts), resolver)
}

/// Returns the [`PrivateAddress`] that a request was refused for.
pub fn refusal(error: &Error) -> Option<&PrivateAddress> {
    match error {
        Error::Other(reason) => reason.downcast_ref(),
        _ => None,
    }
}

/// The system's name resolution. Every address that it returns is checked.
#[derive(Debug)]
struct CheckedResolver {
    hosts: PrivateHosts,
    system: DefaultResolver,
}

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let resolved = self.system.resolve(uri, config, timeout)?;
        // The user's own proxy may be in a private network.
        if config.proxy().is_some_and(|proxy| proxy.uri() == uri) {
            return Ok(resolved);
        }
        let host = uri.host().unwrap_or_default();
        for socket in resolved.iter() {
            let checked = self.hosts.check(host, socket.ip());
            checked.map_err(|refused| Error::Other(Box::new(refused)))?;
        }
        Ok(resolved)
    }
}

/// Checks the addresses that are connected to, regardless of the resolver.
#[derive(Debug)]
struct CheckedConnector {
    hosts: PrivateHosts,
    system: DefaultConnector,
}

impl CheckedConnector {
    fn new(hosts: PrivateHosts) -> Self {
        Self { hosts, system: DefaultConnector::default() }
    }
}

impl Connector<()> for CheckedConnector {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, Error> {
        // Behind a proxy, there are only the proxy's addresses, or none.
        if details.config.proxy().is_none() {
            let host = details.uri.host().unwrap_or_default();
            for socket in details.addrs.iter() {
                let checked = self.hosts.check(host, socket.ip());
                checked.map_err(|refused| Error::Other(Box::new(refused)))?;
            }
        }
        self.system.connect(details, chained)
    }
}

/// Networks of IPv4 that are not public: the registry of special addresses (RFC 6890) and
/// multicast. Each with the number of bits of its prefix.
const SPECIAL_V4: [(Ipv4Addr, u32); 14] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Networks of IPv6 that are not public although they begin as public addresses do.
const SPECIAL_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Public addresses of IPv6 begin with these bits (RFC 4291).
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// The prefixes of IPv6 addresses that represent IPv4 addresses, used by translators (RFC 6052) and
/// by tunnels (RFC 3056).
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
const SIX_TO_FOUR: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);

/// Returns whether an address can be reached from everywhere. If an IPv6 address represents an IPv4
/// address, the IPv4 address decides.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let mut special = SPECIAL_V4.iter();
            let differ = |network: Ipv4Addr| address.to_bits() ^ network.to_bits();
            !special.any(|&(network, bits)| differ(network) >> (32 - bits) == 0)
        }
        IpAddr::V6(address) => match embedded(address) {
            Some(address) => is_public(address.into()),
            None => {
                let is_special = SPECIAL_V6.iter().any(|&network| is_in(address, network));
                is_in(address, GLOBAL_V6) && !is_special
            }
        },
    }
}

fn is_in(address: Ipv6Addr, (network, bits): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (128 - bits) == 0
}

/// Returns the IPv4 address that an IPv6 address represents.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    // The shifts leave the 32 bits of the address.
    let bits = |shift: u32| Ipv4Addr::from_bits((address.to_bits() >> shift) as u32);
    let is_translated = is_in(address, NAT64).then(|| bits(0));
    let is_tunnelled = || is_in(address, SIX_TO_FOUR).then(|| bits(80));
    address.to_ipv4_mapped().or(is_translated).or_else(is_tunnelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_private_networks_are_not_public() {
        for (address, expect) in [
            ("93.184.215.14", true),
            ("9.255.255.255", true),
            ("10.0.0.0", false),
            ("10.255.255.255", false),
            ("11.0.0.0", true),
            ("0.0.0.0", false),
            ("127.0.0.1", false),
            ("100.63.255.255", true),
            ("100.64.0.1", false),
            ("169.254.169.254", false),
            ("172.15.255.255", true),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("172.32.0.0", true),
            ("192.168.1.1", false),
            ("192.169.0.1", true),
            ("198.19.0.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:4700::1111", true),
            ("::", false),
            ("::1", false),
            ("fd00::1", false),
            ("fe80::1", false),
            ("ff02::1", false),
            ("2001:db8::1", false),
            ("2001:0:1::1", false),
            ("2001:4860::1", true),
            ("::ffff:10.0.0.1", false),
            ("::ffff:93.184.215.14", true),
            ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::93.184.215.14", true),
            ("64:ff9b:1::93.184.215.14", false),
            ("2002:a00:1::", false),
            ("2002:5db8:d70e::", true),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), expect, "{address}");
        }
    }

    /// Resolves every name to one address, without a check.
    #[derive(Debug)]
    struct Rebinding(std::net::SocketAddr);

    impl Resolver for Rebinding {
        fn resolve(
            &self,
            _: &Uri,
            _: &Config,
            _: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, Error> {
            let mut resolved = self.empty();
            resolved.push(self.0);
            Ok(resolved)
        }
    }

    #[test]
    fn the_address_that_is_connected_to_is_checked_whatever_resolved_it() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let get = |hosts: PrivateHosts| {
            let config = Agent::config_builder()
                .proxy(None)
                .timeout_global(Some(std::time::Duration::from_millis(200)))
                .build();
            let agent = Agent::with_parts(config, CheckedConnector::new(hosts), Rebinding(address));
            agent.get(format!("http://public.example:{}/", address.port())).call().unwrap_err()
        };
        let error = get(PrivateHosts::default());
        assert_eq!(refusal(&error).unwrap().host, "public.example");
        assert!(listener.accept().is_err(), "nobody connected");
        assert!(refusal(&get(PrivateHosts::parse("public.example"))).is_none());
        assert!(listener.accept().is_ok());
    }

    #[test]
    fn a_host_is_at_a_private_address_only_where_that_was_asked_for() {
        let hosts = PrivateHosts::parse("wiki.example, 10.0.0.5 [fd00::5]").and("LOCALHOST");
        for (host, address, expect) in [
            ("example.org", "93.184.215.14", true),
            ("example.org", "10.0.0.5", false),
            ("example.org", "127.0.0.1", false),
            ("WIKI.example", "10.9.9.9", true),
            ("a.wiki.example", "10.9.9.9", false),
            ("10.0.0.5", "10.0.0.5", true),
            ("10.0.0.6", "10.0.0.6", false),
            ("[fd00::5]", "fd00::5", true),
            ("[fd00::6]", "fd00::6", false),
            // Only a name of this machine counts, not a similar name.
            ("localhost", "127.0.0.1", true),
            ("localhost", "::1", true),
            ("localhost", "10.0.0.5", false),
            ("localhost", "93.184.215.14", false),
            ("127.0.0.1", "127.0.0.1", false),
            ("[::1]", "::1", false),
            ("127.1", "127.0.0.1", false),
            ("localhost.example.org", "127.0.0.1", false),
        ] {
            let checked = hosts.check(host, address.parse().unwrap());
            assert_eq!(checked.is_ok(), expect, "{host} at {address}");
        }
    }
}
