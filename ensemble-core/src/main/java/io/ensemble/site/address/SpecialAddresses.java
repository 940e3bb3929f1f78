package io.ensemble.site.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Addresses that are never those of a site, and addresses embedded in other addresses. */
final class SpecialAddresses {

  /**
   * This host and any host, link-local, multicast, broadcast, and the metadata addresses of clouds.
   */
  private static final List<CidrBlock> NEVER =
      networks(
          "0.0.0.0/8",
          "169.254.0.0/16",
          "224.0.0.0/4",
          "240.0.0.0/4",
          "168.63.129.16/32", // Azure
          "100.100.100.200/32", // Alibaba
          "192.0.0.192/32", // Oracle
          "::/128",
          "fe80::/10",
          "ff00::/8",
          "fd00:ec2::/32", // AWS
          "fd20:ce::254/128"); // Google

  private static final List<CidrBlock> LOOPBACK = networks("127.0.0.0/8", "::1/128");

  /** Networks that the internet does not route: a rule for a host name must not reach into them. */
  private static final List<CidrBlock> INSIDE =
      networks(
          "10.0.0.0/8",
          "100.64.0.0/10",
          "172.16.0.0/12",
          "192.0.0.0/24",
          "192.168.0.0/16",
          "198.18.0.0/15",
          "fc00::/7",
          "fec0::/10");

  /** Networks of IPv6 whose addresses embed one of IPv4, and the offset at which it begins. */
  private record EmbeddingNetwork(CidrBlock network, int offset, int flip) {}

  private static final int INVERTED = 0xFF;

  private static final List<EmbeddingNetwork> BEARERS =
      List.of(
          new EmbeddingNetwork(CidrBlock.parse("::/96"), 12, 0), // compatible
          new EmbeddingNetwork(CidrBlock.parse("::ffff:0:0:0/96"), 12, 0), // translated
          new EmbeddingNetwork(CidrBlock.parse("64:ff9b::/96"), 12, 0), // NAT64
          new EmbeddingNetwork(CidrBlock.parse("64:ff9b:1::/48"), 12, 0),
          new EmbeddingNetwork(CidrBlock.parse("2002::/16"), 2, 0), // 6to4
          new EmbeddingNetwork(CidrBlock.parse("2001::/32"), 4, 0), // Teredo: its server
          new EmbeddingNetwork(CidrBlock.parse("2001::/32"), 12, INVERTED)); // and its client

  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  /** The bytes before an IPv4 address in one of ISATAP, in any network. */
  private static final byte[] ISATAP = {0x5e, (byte) 0xfe};

  private static final int ISATAP_OFFSET = 10;

  private SpecialAddresses() {}

  private static List<CidrBlock> networks(String... texts) {
    return Arrays.stream(texts).map(CidrBlock::parse).toList();
  }

  /** Whether the address, or an embedded one, is never that of a site. */
  static boolean isNever(InetAddress address) {
    return withThoseWithin(address).stream()
        .anyMatch(one -> NEVER.stream().anyMatch(network -> network.contains(one)));
  }

  /** Whether the address, or an embedded one, is this host. */
  static boolean isLoopback(InetAddress address) {
    return withThoseWithin(address).stream()
        .anyMatch(one -> LOOPBACK.stream().anyMatch(network -> network.contains(one)));
  }

  /** Whether the address, or an embedded one, belongs to a private network. */
  static boolean isInside(InetAddress address) {
    return withThoseWithin(address).stream()
        .anyMatch(one -> INSIDE.stream().anyMatch(network -> network.contains(one)));
  }

  /** Whether all of a network is this host. */
  static boolean isLoopback(CidrBlock network) {
    return LOOPBACK.stream()
        .anyMatch(here -> here.contains(network.base()) && here.bits() <= network.bits());
  }

  /** The address and those embedded in it. Java already reads {@code ::ffff:1.2.3.4} as IPv4. */
  private static List<InetAddress> withThoseWithin(InetAddress address) {
    List<InetAddress> all = new ArrayList<>(List.of(address));
    byte[] bytes = address.getAddress();
    boolean here = LOOPBACK.stream().anyMatch(network -> network.contains(address));
    if (bytes.length == IPV6_BYTES && !here) {
      for (EmbeddingNetwork network : BEARERS) {
        if (network.network().contains(address)) {
          all.add(ipv4(bytes, network.offset(), network.flip()));
        }
      }
      if (bytes[ISATAP_OFFSET] == ISATAP[0] && bytes[ISATAP_OFFSET + 1] == ISATAP[1]) {
        all.add(ipv4(bytes, IPV6_BYTES - IPV4_BYTES, 0));
      }
    }
    return all;
  }

  private static InetAddress ipv4(byte[] bytes, int offset, int flip) {
    byte[] four = Arrays.copyOfRange(bytes, offset, offset + IPV4_BYTES);
    for (int i = 0; i < IPV4_BYTES; i++) {
      four[i] ^= (byte) flip;
    }
    try {
      return InetAddress.getByAddress(four);
    } catch (UnknownHostException e) {
      throw new AssertionError("an IPv4 address has four bytes", e);
    }
  }
}
