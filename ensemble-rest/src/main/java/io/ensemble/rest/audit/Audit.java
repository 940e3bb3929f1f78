package io.ensemble.rest.audit;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.json.StrictJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the audit lines, on a thread of its own: a slow disk delays the requests that need a line,
 * and no other. If a line cannot be written, or has waited for {@link #LONGEST}, or {@value
 * #MAX_WAITING} lines are waiting, it goes to the service's log, and changes are refused until a
 * line can be written again; reads continue. So at most the changes that were in progress at that
 * time are in the log only. A line during whose write the disk was slow may be in both. While a
 * write lasts longer than {@link #LONGEST}, further lines do not wait, so that requests to change
 * something do not take the places of others.
 *
 * <p>An administrator's change writes a line at its beginning, so that a crash of the process does
 * not hide it. A write of an entry has no such line.
 *
 * <p>Unauthenticated callers can cause audit lines at no cost, and could displace the lines of
 * others. At most {@value #UNAUTHENTICATED_PER_SECOND} lines a second are therefore theirs; the
 * next line gives the number of omitted ones. Thread-safe.
 *
 * <p>Stages complete when the line is in the audit log or in the service's log, on a thread of this
 * object. They never fail, except that of {@link #checkWritable}.
 */
public final class Audit implements AutoCloseable {

  static final int UNAUTHENTICATED_PER_SECOND = 10;

  /** The maximum number of waiting lines. */
  static final int MAX_WAITING = 1_024;

  /** How long a request waits for its line. */
  static final Duration LONGEST = Duration.ofSeconds(5);

  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final long IDLE_SECONDS = 30;

  private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

  private final AuditSink sink;
  private final LongSupplier nanoTime;
  private final Duration longest;
  private final ThreadPoolExecutor writer;
  private final ScheduledThreadPoolExecutor timer;
  private volatile boolean isUnwritable;
  private volatile boolean isWriting;
  private volatile long writeBeganNanos;
  private long currentSecond;
  private int anonymousLines;
  private long suppressedLines;

  /**
   * A line of a request.
   *
   * @param isLogged whether the line goes to the service's log if it cannot be written
   * @param isDecided whether its result is determined
   * @param isWritten the result
   */
  private record Line(
      String text,
      boolean isLogged,
      AtomicBoolean isDecided,
      CompletableFuture<Boolean> isWritten) {

    Line(String text, boolean isLogged) {
      this(text, isLogged, new AtomicBoolean(), new CompletableFuture<>());
    }
  }

  /** Writes to a sink, which is closed with this object. */
  public Audit(AuditSink sink, LongSupplier nanoTime) {
    this(sink, nanoTime, LONGEST);
  }

  /**
   * @param longest how long a request waits for its line
   */
  Audit(AuditSink sink, LongSupplier nanoTime, Duration longest) {
    this.sink = sink;
    this.nanoTime = nanoTime;
    this.longest = longest;
    writer =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            task -> daemon(task, "ensemble-rest-audit")) {

          /** Closes the sink after the last write, because closing waits for a write. */
          @Override
          protected void terminated() {
            sink.close();
          }
        };
    writer.allowCoreThreadTimeOut(true);
    timer = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "ensemble-rest-audit-timer"));
    timer.setRemoveOnCancelPolicy(true);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Checks whether a change may begin. Fails with {@link ProblemException} if the audit cannot be
   * written; nothing was done. Completes immediately while the audit can be written.
   */
  public CompletionStage<Void> checkWritable() {
    if (!isUnwritable) {
      return CompletableFuture.completedStage(null);
    }
    return submit(toJson(Map.of("event", "the audit log is written again")), false)
        .thenAccept(
            isWritten -> {
              if (!isWritten) {
                throw new ProblemException(
                    Problem.bare(
                            ProblemType.NOT_READY,
                            "the audit log cannot be written, and changes are refused; nothing was"
                                + " done")
                        .header("Retry-After", "5"));
              }
              isUnwritable = false;
              LOG.warn("the audit log can be written again");
            });
  }

  /** Writes a line about an authenticated caller. */
  public CompletionStage<Void> recordAuthenticated(Map<String, Object> line) {
    return submit(toJson(line), true).thenAccept(isWritten -> {});
  }

  /** Writes a line about an unauthenticated caller. */
  public CompletionStage<Void> recordAnonymous(Map<String, Object> line) {
    long suppressed;
    synchronized (this) {
      long now = TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong());
      if (now != currentSecond) {
        currentSecond = now;
        anonymousLines = 0;
      }
      if (++anonymousLines > UNAUTHENTICATED_PER_SECOND) {
        suppressedLines++;
        return CompletableFuture.completedStage(null);
      }
      suppressed = suppressedLines;
      suppressedLines = 0;
    }
    if (suppressed > 0) {
      line.put("omitted", suppressed);
    }
    return recordAuthenticated(line);
  }

  /**
   * Hands a line to the writer; the result says whether it was written.
   *
   * @param isLogged whether the line goes to the service's log if it cannot be written
   */
  private CompletionStage<Boolean> submit(String text, boolean isLogged) {
    Line line = new Line(text, isLogged);
    if (isHanging()) {
      fail(line, "a write lasts for more than " + longest.toMillis() + " ms");
      return line.isWritten();
    }
    try {
      Future<?> timeout =
          timer.schedule(
              () -> fail(line, "the line has waited for " + longest.toMillis() + " ms"),
              longest.toMillis(),
              TimeUnit.MILLISECONDS);
      line.isWritten().whenComplete((isWritten, failure) -> timeout.cancel(false));
      writer.execute(() -> write(line));
    } catch (RejectedExecutionException e) {
      fail(line, "more than %d lines are waiting, or the audit is closed".formatted(MAX_WAITING));
    }
    return line.isWritten();
  }

  /** Whether the present write has lasted for longer than a line may wait. */
  private boolean isHanging() {
    return isWriting && System.nanoTime() - writeBeganNanos > longest.toNanos();
  }

  private void write(Line line) {
    if (line.isDecided().get()) {
      return; // The line is in the service's log.
    }
    writeBeganNanos = System.nanoTime();
    isWriting = true;
    try {
      sink.write(line.text());
    } catch (IOException | RuntimeException e) {
      fail(line, e.toString());
      return;
    } finally {
      isWriting = false;
    }
    if (line.isDecided().compareAndSet(false, true)) {
      line.isWritten().complete(true);
    }
  }

  private void fail(Line line, String reason) {
    if (line.isDecided().compareAndSet(false, true)) {
      isUnwritable = true;
      if (line.isLogged()) {
        LOG.error("the audit log cannot be written: {}; {}", reason, line.text());
      }
      line.isWritten().complete(false);
    }
  }

  private static String toJson(Map<String, Object> line) {
    return new String(StrictJson.bytes(line), StandardCharsets.UTF_8);
  }

  /**
   * Ends the lines that are waiting: each is in the audit log, or in the service's log, after at
   * most the time that a request waits. If the disk hangs, the sink is closed when it answers.
   */
  @Override
  public void close() {
    writer.shutdown();
    timer.shutdown(); // It ends when each line that waits is written, or has waited too long.
    try {
      boolean isClosed =
          timer.awaitTermination(longest.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS)
              && writer.awaitTermination(GRACE.toMillis(), TimeUnit.MILLISECONDS);
      if (!isClosed) {
        LOG.warn("a write of the audit log does not end; its file stays open until then");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
