package io.ensemble.site.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Parses a host in one spelling only. Other programs also read {@code 0x7f.1}, {@code 2130706433}
 * or {@code 0177.0.0.1} as an address. A text that two programs may read as two different addresses
 * is neither a name nor an address here.
 */
final class AddressParser {

  private static final int LONGEST_NAME = 253;

  private static final Pattern BYTE_NUMBER =
      Pattern.compile("(0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2})){3}");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*");
  private static final Pattern NAME =
      Pattern.compile("(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*");

  /** A last label that some programs take for a number: digits, or 0x and digits. */
  private static final Pattern NUMERIC_END = Pattern.compile("(.*\\.)?([0-9]+|0[xX][0-9A-Fa-f]*)");

  private AddressParser() {}

  /** The address in {@code host}; empty if it is a name. */
  static Optional<InetAddress> address(String host) {
    if (BYTE_NUMBER.matcher(host).matches() || IPV6.matcher(host).matches()) {
      try {
        return Optional.of(InetAddress.getByName(host)); // A literal: no resolver is asked.
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException(
            "address must be four numbers up to 255, or IPv6; got '" + host + "'", e);
      }
    }
    if (!isName(host)) {
      throw new IllegalArgumentException(
          "host must be a name of letters, digits and dashes, four decimal numbers without leading "
              + "zeros, or IPv6 without a zone; got '"
              + host
              + "'");
    }
    return Optional.empty();
  }

  /** The name in lower case, the form in which names are compared. */
  static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  static boolean isName(String host) {
    return host.length() <= LONGEST_NAME
        && NAME.matcher(host).matches()
        && !NUMERIC_END.matcher(host).matches();
  }
}
