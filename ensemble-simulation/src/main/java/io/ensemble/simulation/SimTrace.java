package io.ensemble.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * All events of a simulation, a line for each event: virtual seconds, client, site, and event.
 * Equal seeds give equal traces as long as the code that runs is deterministic. One thread only.
 */
public final class SimTrace {

  private final int mostLines;
  private final Deque<String> lines = new ArrayDeque<>();
  private final Map<SimFaultKind, Long> counts = new EnumMap<>(SimFaultKind.class);
  private final MessageDigest sha;
  private long size;

  /**
   * @param mostLines the number of lines to keep; older ones are dropped, but count for the digest
   */
  public SimTrace(int mostLines) {
    this.mostLines = mostLines;
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** Adds a line. {@code client} and {@code site} may be "-". */
  public void add(long nanos, String client, String site, String what) {
    StringBuilder line = new StringBuilder(48 + what.length());
    line.append(nanos / 1_000_000_000).append('.');
    String fraction = Long.toString(nanos % 1_000_000_000);
    line.append("0".repeat(9 - fraction.length())).append(fraction);
    line.append(' ').append(client).append(' ').append(site).append(' ').append(what);
    String text = line.toString();
    sha.update(text.getBytes(UTF_8));
    sha.update((byte) '\n');
    size++;
    lines.add(text);
    if (lines.size() > mostLines) {
      lines.remove();
    }
  }

  void fault(SimFaultKind kind, long nanos, String client, String site, String what) {
    counts.merge(kind, 1L, Long::sum);
    add(nanos, client, site, "! " + kind + " " + what);
  }

  /** The number of occurrences of a fault. */
  public long count(SimFaultKind kind) {
    return counts.getOrDefault(kind, 0L);
  }

  /** The number of lines, including those no longer kept. */
  public long size() {
    return size;
  }

  /** The lines that are kept, oldest first. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** SHA-256 of all lines so far, in hex. Equal digests mean equal traces. */
  public String digest() {
    try {
      return HexFormat.of().formatHex(((MessageDigest) sha.clone()).digest());
    } catch (CloneNotSupportedException e) {
      throw new AssertionError("the JDK's SHA-256 can be cloned", e);
    }
  }

  /** The lines that are kept, as one text. */
  @Override
  public String toString() {
    return String.join("\n", lines);
  }
}
