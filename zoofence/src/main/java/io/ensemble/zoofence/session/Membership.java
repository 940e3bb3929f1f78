package io.ensemble.zoofence.session;

import io.ensemble.zoofence.link.Link;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A session's session at one instance, as it is written down: whoever takes the client's next
 * connection goes on with it.
 *
 * @param zxid the last transaction that the client may have seen there
 */
record Membership(int instance, Link.Identity identity, long zxid) {
  /** A line for each instance that has given a session. */
  static byte[] write(List<Link> links) {
    var text = new StringBuilder();
    for (Link link : links) {
      if (link.identity().session() != 0) {
        text.append(link.number())
            .append(' ')
            .append(Long.toHexString(link.identity().session()))
            .append(' ')
            .append(HexFormat.of().formatHex(link.identity().password()))
            .append(' ')
            .append(Long.toHexString(link.lastZxid()))
            .append('\n');
      }
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  static List<Membership> read(byte[] data) {
    var memberships = new ArrayList<Membership>();
    for (String line : new String(data, StandardCharsets.UTF_8).lines().toList()) {
      String[] words = line.split(" ", -1);
      var identity =
          new Link.Identity(
              Long.parseUnsignedLong(words[1], 16), HexFormat.of().parseHex(words[2]));
      memberships.add(
          new Membership(
              Integer.parseInt(words[0]), identity, Long.parseUnsignedLong(words[3], 16)));
    }
    return memberships;
  }
}
