package io.ensemble.site.address;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * Addresses that begin with the same bits.
 *
 * @param base the first of them
 * @param bits how many bits they share
 */
record CidrBlock(InetAddress base, int bits) {

  /**
   * @throws IllegalArgumentException if an address has fewer bits, or the base has other bits set
   */
  CidrBlock {
    int most = base.getAddress().length * Byte.SIZE;
    if (bits < 0 || bits > most) {
      throw new IllegalArgumentException(
          "network prefix must have 0 to %d bits; got %s/%d"
              .formatted(most, base.getHostAddress(), bits));
    }
    if (!Arrays.equals(base.getAddress(), masked(base.getAddress(), bits))) {
      throw new IllegalArgumentException(
          "the first address of a network must have no bits set beyond the first %d; got %s"
              .formatted(bits, base.getHostAddress()));
    }
  }

  /** Parses {@code address} or {@code address/bits}, IPv6 in brackets or not. */
  static CidrBlock parse(String text) {
    int slash = text.indexOf('/');
    String host = slash < 0 ? text : text.substring(0, slash);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    String bare = bracketed ? host.substring(1, host.length() - 1) : host;
    InetAddress base =
        AddressParser.address(bare)
            .orElseThrow(
                () -> new IllegalArgumentException("network must be address/bits; got " + text));
    String bits = text.substring(slash + 1);
    if (slash >= 0 && !bits.matches("[0-9]{1,3}")) {
      throw new IllegalArgumentException("network must be address/bits; got " + text);
    }
    return new CidrBlock(
        base, slash < 0 ? base.getAddress().length * Byte.SIZE : Integer.parseInt(bits));
  }

  boolean contains(InetAddress address) {
    byte[] theirs = address.getAddress();
    return theirs.length == base.getAddress().length
        && Arrays.equals(base.getAddress(), masked(theirs, bits));
  }

  private static byte[] masked(byte[] address, int bits) {
    byte[] masked = address.clone();
    for (int i = 0; i < masked.length; i++) {
      int kept = Math.max(0, Math.min(Byte.SIZE, bits - i * Byte.SIZE));
      masked[i] &= (byte) (0xFF << (Byte.SIZE - kept));
    }
    return masked;
  }

  @Override
  public String toString() {
    return base.getHostAddress() + "/" + bits;
  }
}
