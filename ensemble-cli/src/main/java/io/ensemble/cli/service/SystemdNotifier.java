package io.ensemble.cli.service;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd that a service is ready, and then pings its watchdog while the service is live. A
 * unit has {@code Type=notify} and {@code NotifyAccess=all}, because each message is sent by a
 * child process, {@code systemd-notify}: Java 17 has no datagram sockets of the local family.
 * Without systemd, that is without the variable {@code NOTIFY_SOCKET}, it does nothing.
 *
 * <p>One thread asks and sends, so a probe that hangs sends no ping either. A probe that throws
 * counts as no response, and is asked again. Thread-safe.
 */
public final class SystemdNotifier implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SystemdNotifier.class);
  private static final Duration UNTIL_READY = Duration.ofMillis(500);
  private static final long LONGEST_SEND_SECONDS = 10;

  /** So one lost ping does not end the service. */
  private static final int PINGS_PER_TIMEOUT = 3;

  private final HealthProbe probe;
  private final Duration pingInterval;
  private final List<String> program;
  private final ScheduledExecutorService executor;

  private SystemdNotifier(
      HealthProbe probe,
      Duration pingInterval,
      List<String> program,
      ScheduledExecutorService executor) {
    this.probe = probe;
    this.pingInterval = pingInterval;
    this.program = program;
    this.executor = executor;
  }

  /**
   * Starts to notify the service manager of this process, if there is one.
   *
   * @param environment the variables of this process
   */
  public static SystemdNotifier start(Map<String, String> environment, HealthProbe probe) {
    return start(environment, probe, List.of("systemd-notify"));
  }

  /**
   * @param program sends its further arguments as one message
   */
  static SystemdNotifier start(
      Map<String, String> environment, HealthProbe probe, List<String> program) {
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "systemd-notifier");
              thread.setDaemon(true);
              return thread;
            });
    SystemdNotifier notifier =
        new SystemdNotifier(probe, pingInterval(environment), program, executor);
    if (environment.containsKey("NOTIFY_SOCKET")) {
      executor.execute(notifier::reportReady);
    } else {
      executor.shutdown();
    }
    return notifier;
  }

  /** The time between two pings; zero for none. */
  static Duration pingInterval(Map<String, String> environment) {
    try {
      long micros = Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0"));
      return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros)).dividedBy(PINGS_PER_TIMEOUT);
    } catch (NumberFormatException e) {
      return Duration.ZERO;
    }
  }

  private void reportReady() {
    if (!holds(probe::isReady) || !send("READY=1")) {
      later(this::reportReady, UNTIL_READY);
    } else if (!pingInterval.isZero()) {
      later(this::ping, pingInterval);
    }
  }

  private void ping() {
    if (!holds(probe::isLive)) {
      LOG.warn("the service does not respond, the watchdog gets no ping");
    } else if (!send("WATCHDOG=1")) {
      LOG.warn("the watchdog did not get its ping");
    }
    later(this::ping, pingInterval);
  }

  private static boolean holds(BooleanSupplier question) {
    try {
      return question.getAsBoolean();
    } catch (RuntimeException e) {
      LOG.warn("the probe of the service failed, which counts as no response: {}", e.toString());
      return false;
    }
  }

  private void later(Runnable step, Duration delay) {
    try {
      var unused = executor.schedule(step, delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The notifier is closed.
    }
  }

  /** Whether the message was sent. */
  private boolean send(String message) {
    List<String> command = new ArrayList<>(program);
    command.add(message);
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        return process.waitFor(LONGEST_SEND_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      LOG.warn("cannot send {} to systemd: {}", message, e.toString());
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Ends the notifications. Waits for a probe that is under way, at most 10 s. */
  @Override
  public void close() {
    executor.shutdownNow();
    try {
      boolean unused = executor.awaitTermination(LONGEST_SEND_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
