package io.ensemble.rest.audit;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.json.StrictJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the audit lines. If a line cannot be written, it goes to the service's log, and changes
 * are refused until a line can be written again; reads continue. So at most the changes that were
 * in progress at that time are in the log only.
 *
 * <p>An administrator's change writes a line at its beginning, so that a crash of the process does
 * not hide it. A write of an entry has no such line.
 *
 * <p>Unauthenticated callers can cause audit lines at no cost, and could displace the lines of
 * others. At most {@value #UNAUTHENTICATED_PER_SECOND} lines a second are therefore theirs; the
 * next line gives the number of omitted ones. Thread-safe.
 */
public final class Audit implements AutoCloseable {

  static final int UNAUTHENTICATED_PER_SECOND = 10;

  private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

  private final AuditSink sink;
  private final LongSupplier nanoTime;
  private volatile boolean isUnwritable;
  private long currentSecond;
  private int anonymousLines;
  private long suppressedLines;

  /** Writes to a sink, which is closed with this object. */
  public Audit(AuditSink sink, LongSupplier nanoTime) {
    this.sink = sink;
    this.nanoTime = nanoTime;
  }

  /**
   * Checks whether a change may begin.
   *
   * @throws ProblemException if the audit cannot be written
   */
  public void checkWritable() {
    if (!isUnwritable) {
      return;
    }
    try {
      sink.write(toJson(Map.of("event", "the audit log is written again")));
      isUnwritable = false;
      LOG.warn("the audit log can be written again");
    } catch (IOException e) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.NOT_READY,
                  "the audit log cannot be written, and changes are refused; nothing was done")
              .header("Retry-After", "5"));
    }
  }

  /** Writes a line about an authenticated caller. */
  public void recordAuthenticated(Map<String, Object> line) {
    write(line);
  }

  /** Writes a line about an unauthenticated caller. */
  public void recordAnonymous(Map<String, Object> line) {
    long suppressed;
    synchronized (this) {
      long now = TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong());
      if (now != currentSecond) {
        currentSecond = now;
        anonymousLines = 0;
      }
      if (++anonymousLines > UNAUTHENTICATED_PER_SECOND) {
        suppressedLines++;
        return;
      }
      suppressed = suppressedLines;
      suppressedLines = 0;
    }
    if (suppressed > 0) {
      line.put("omitted", suppressed);
    }
    write(line);
  }

  private void write(Map<String, Object> line) {
    String text = toJson(line);
    try {
      sink.write(text);
    } catch (IOException e) {
      isUnwritable = true;
      LOG.error("the audit log cannot be written: {}; {}", e.toString(), text);
    }
  }

  private static String toJson(Map<String, Object> line) {
    return new String(StrictJson.bytes(line), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    sink.close();
  }
}
