package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.link.InstanceSession;
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
public record MemberSessionRecord(int instance, InstanceSession.Identity identity, long zxid) {
  /** A line for each instance that has given a session. */
  static byte[] write(List<InstanceSession> links) {
    var text = new StringBuilder();
    for (InstanceSession instanceSession : links) {
      if (instanceSession.identity().session() != 0) {
        text.append(instanceSession.number())
            .append(' ')
            .append(Long.toHexString(instanceSession.identity().session()))
            .append(' ')
            .append(HexFormat.of().formatHex(instanceSession.identity().password()))
            .append(' ')
            .append(Long.toHexString(instanceSession.lastZxid()))
            .append('\n');
      }
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  public static List<MemberSessionRecord> read(byte[] data) {
    var memberships = new ArrayList<MemberSessionRecord>();
    for (String line : new String(data, StandardCharsets.UTF_8).lines().toList()) {
      String[] words = line.split(" ", -1);
      var identity =
          new InstanceSession.Identity(
              Long.parseUnsignedLong(words[1], 16), HexFormat.of().parseHex(words[2]));
      memberships.add(
          new MemberSessionRecord(
              Integer.parseInt(words[0]), identity, Long.parseUnsignedLong(words[3], 16)));
    }
    return memberships;
  }
}
