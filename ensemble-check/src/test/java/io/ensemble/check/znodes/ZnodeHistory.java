package io.ensemble.check.znodes;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryReader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.List;

/** Short histories for tests. */
final class ZnodeHistory {

  private ZnodeHistory() {}

  /** Parses {@code key op in out call return; …}, one client each; {@code ?} is unknown. */
  static List<HistoryOperation> of(String text) {
    StringBuilder lines = new StringBuilder();
    int client = 0;
    for (String part : text.split("; ?")) {
      String[] words = part.strip().split(" +");
      boolean unknown = words[3].equals("?");
      lines.append(
          "{\"client\":%d,\"key\":\"%s\",\"op\":\"%s\",\"in\":%s,\"out\":%s,\"call_ns\":%s,\"return_ns\":%s,\"ok\":%s}%n"
              .formatted(
                  client++,
                  words[0],
                  words[1],
                  words[2],
                  unknown ? "null" : words[3],
                  words[4],
                  unknown ? "null" : words[5],
                  unknown ? "\"unknown\"" : "true"));
    }
    try {
      return HistoryReader.read(new StringReader(lines.toString())).operations();
    } catch (java.io.IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
