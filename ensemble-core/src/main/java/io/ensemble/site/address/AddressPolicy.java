package io.ensemble.site.address;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/**
 * The addresses that may be entered. Immutable, thread-safe.
 *
 * <p>A rule is a name or a network, with ports: {@code db.example:11222}, {@code *.example:11222},
 * {@code 10.0.0.0/8:11222-11230}, {@code [2001:db8::]/32:*}. Nothing else may be entered. A name
 * allows addresses of the internet only: those of private networks, such as 10.0.0.0/8 and
 * fc00::/7, want a rule for a network, or whoever has the name in hand would choose where inside it
 * leads. Loopback addresses may only by a rule that speaks of nothing else, such as {@code
 * 127.0.0.1/32:11222} or {@code 127.0.0.0/8:*}: neither by a wider network nor by a name that turns
 * out to be it. Whatever the rules say, never: link-local and multicast addresses, those that mean
 * any host, and those at which clouds tell machines their secrets, also within addresses of IPv6.
 */
public final class AddressPolicy {

  private final List<String> texts;
  private final List<AddressRule> rules;

  private AddressPolicy(List<String> texts) {
    this.texts = List.copyOf(texts);
    this.rules = this.texts.stream().map(AddressRule::parse).toList();
  }

  /**
   * One with these rules; with none, nothing may be entered.
   *
   * @throws IllegalArgumentException naming a rule that is none
   */
  public static AddressPolicy allowing(List<String> rules) {
    return new AddressPolicy(rules);
  }

  /** As the other method. */
  public static AddressPolicy allowing(String... rules) {
    return new AddressPolicy(List.of(rules));
  }

  /**
   * The address to connect to, with the name that was asked for. A name is resolved here, once, and
   * all of its addresses must be allowed, or a second look would find what the first one had not
   * told. Waits for the resolver.
   *
   * @throws AddressRefusedException if it may not be entered
   * @throws IllegalArgumentException if {@code host} is neither a name nor an address, in the one
   *     way in which they are written here
   * @throws UnknownHostException if it is a name that has no address
   */
  public InetSocketAddress admit(String host, int port, AddressResolver resolver)
      throws UnknownHostException {
    Optional<InetAddress> written = AddressParser.address(host);
    if (written.isPresent()) {
      check(new InetSocketAddress(written.get(), port));
      return new InetSocketAddress(written.get(), port);
    }
    if (rules.stream().noneMatch(rule -> rule.hasPort(port))) {
      throw refused(host, port, "no rule allows the port"); // Nobody is asked for its addresses.
    }
    List<InetAddress> addresses = resolver.addresses(host);
    if (addresses.isEmpty()) {
      throw new UnknownHostException(host);
    }
    for (InetAddress address : addresses) {
      check(new InetSocketAddress(named(host, address), port));
    }
    return new InetSocketAddress(named(host, addresses.get(0)), port);
  }

  /**
   * Checks an address that is about to be connected to, however it came to be known: a site tells
   * the addresses of its other nodes itself.
   *
   * @throws AddressRefusedException if it may not be entered, or is not resolved
   */
  public void check(InetSocketAddress target) {
    InetAddress address = target.getAddress();
    int port = target.getPort();
    String shown = target.getHostString();
    if (address == null) {
      throw refused(shown, port, "it is not resolved");
    }
    if (SpecialAddresses.isNever(address)) {
      throw refused(shown, port, "no site is ever there");
    }
    if (SpecialAddresses.isLoopback(address)) {
      if (rules.stream().noneMatch(r -> r.hasPort(port) && r.containsLoopback(address))) {
        throw refused(shown, port, "it is loopback, which no rule allows by itself");
      }
    } else if (rules.stream()
        .noneMatch(r -> r.hasPort(port) && (r.contains(address) || r.names(shown, address)))) {
      throw refused(shown, port, "no rule allows it");
    }
  }

  /** Whether {@code host} is an address, no name, that may be entered. Asks nobody. */
  public boolean allows(String host, int port) {
    try {
      Optional<InetAddress> written = AddressParser.address(host);
      written.ifPresent(address -> check(new InetSocketAddress(address, port)));
      return written.isPresent();
    } catch (AddressRefusedException | IllegalArgumentException refused) {
      return false;
    }
  }

  /** Without what was resolved: names of networks inside tell strangers too much. */
  private AddressRefusedException refused(String host, int port, String why) {
    return new AddressRefusedException(
        "a site's address may not be entered: %s; host=%s port=%d".formatted(why, host, port));
  }

  private static InetAddress named(String host, InetAddress address) throws UnknownHostException {
    return InetAddress.getByAddress(host, address.getAddress());
  }

  /** The rules. */
  @Override
  public String toString() {
    return "AddressPolicy" + texts;
  }
}
