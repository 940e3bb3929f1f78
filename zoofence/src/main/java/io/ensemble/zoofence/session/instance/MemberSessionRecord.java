package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.link.InstanceSession;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The record of a client's session at one instance. The process that takes the client's next
 * connection continues that session.
 *
 * @param zxid the last transaction that the client may have seen there
 */
public record MemberSessionRecord(int instance, InstanceSession.Identity identity, long zxid) {
  /** Writes one line for each instance that has given a session. */
  static byte[] write(List<InstanceSession> sessions) {
    var text = new StringBuilder();
    for (InstanceSession instanceSession : sessions) {
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
    var records = new ArrayList<MemberSessionRecord>();
    for (String line : new String(data, StandardCharsets.UTF_8).lines().toList()) {
      String[] words = line.split(" ", -1);
      var identity =
          new InstanceSession.Identity(
              Long.parseUnsignedLong(words[1], 16), HexFormat.of().parseHex(words[2]));
      records.add(
          new MemberSessionRecord(
              Integer.parseInt(words[0]), identity, Long.parseUnsignedLong(words[3], 16)));
    }
    return records;
  }
}
