package io.ensemble.cli.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The messages are written to a file, by a shell in the place of systemd-notify. */
class SystemdNotifierTest {

  private static final Map<String, String> SYSTEMD =
      Map.of("NOTIFY_SOCKET", "/run/systemd/notify", "WATCHDOG_USEC", "30000");

  @TempDir Path directory;

  private final AtomicInteger readyProbes = new AtomicInteger();
  private final AtomicInteger failedLiveProbes = new AtomicInteger();
  private volatile @Nullable RuntimeException failure;
  private volatile boolean ready;
  private volatile boolean live;

  private final HealthProbe probe =
      new HealthProbe() {
        @Override
        public boolean isReady() {
          readyProbes.incrementAndGet();
          fail();
          return ready;
        }

        @Override
        public boolean isLive() {
          if (failure != null) {
            failedLiveProbes.incrementAndGet();
          }
          fail();
          return live;
        }

        private void fail() {
          RuntimeException thrown = failure;
          if (thrown != null) {
            throw thrown;
          }
        }
      };

  @BeforeEach
  void aSystemWithAShell() {
    assumeThat(File.separatorChar).isEqualTo('/');
  }

  @Test
  void readyIsSentWhenTheServiceIsReadyAndPingsWhileItIsLive() {
    try (SystemdNotifier notifier = start(SYSTEMD)) {
      await().until(() -> readyProbes.get() > 1);
      assertThat(messages()).isEmpty();

      ready = true;
      live = true;

      await().until(() -> messages().size() > 3);
      assertThat(messages()).startsWith("READY=1", "WATCHDOG=1").containsOnlyOnce("READY=1");
    }
  }

  @Test
  void aServiceThatDoesNotRespondSendsNoPing() {
    ready = true;
    try (SystemdNotifier notifier = start(SYSTEMD)) {
      await().until(() -> messages().contains("READY=1"));
      assertThat(messages()).containsExactly("READY=1");

      live = true;

      await().until(() -> messages().contains("WATCHDOG=1"));
    }
  }

  @Test
  void aProbeThatThrowsCountsAsNoResponseAndIsAskedAgain() {
    failure = new IllegalStateException("trial");
    try (SystemdNotifier notifier = start(SYSTEMD)) {
      await().until(() -> readyProbes.get() > 1);
      ready = true;
      failure = null;
      await().until(() -> messages().contains("READY=1"));

      failure = new IllegalStateException("trial");
      await().until(() -> failedLiveProbes.get() > 1);
      assertThat(messages()).containsExactly("READY=1");
      live = true;
      failure = null;

      await().until(() -> messages().contains("WATCHDOG=1"));
    }
  }

  @Test
  void withoutAWatchdogThereAreNoPings() {
    ready = true;
    live = true;
    try (SystemdNotifier notifier = start(Map.of("NOTIFY_SOCKET", "/run/systemd/notify"))) {
      await().until(() -> messages().contains("READY=1"));

      assertThat(SystemdNotifier.pingInterval(Map.of())).isZero();
      assertThat(messages()).containsExactly("READY=1");
    }
  }

  @Test
  void aMessageThatIsBeingSentEndsWithTheNotifier() throws IOException {
    ready = true;
    Path child = directory.resolve("child");
    String sending = "echo $$ >\"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 600";
    SystemdNotifier notifier =
        SystemdNotifier.start(SYSTEMD, probe, List.of("sh", "-c", sending, child.toString()));
    await().until(() -> Files.exists(child));
    long pid = Long.parseLong(Files.readString(child).strip());

    notifier.close();

    await().until(() -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
  }

  @Test
  void withoutSystemdNothingIsProbed() {
    try (SystemdNotifier notifier = start(Map.of())) {
      assertThat(readyProbes).hasValue(0);
      assertThat(messages()).isEmpty();
    }
  }

  @Test
  void threePingsFitIntoTheTimeoutOfTheWatchdog() {
    assertThat(SystemdNotifier.pingInterval(Map.of("WATCHDOG_USEC", "60000000")))
        .isEqualTo(Duration.ofSeconds(20));
    assertThat(SystemdNotifier.pingInterval(Map.of("WATCHDOG_USEC", "soon"))).isZero();
  }

  private SystemdNotifier start(Map<String, String> environment) {
    return SystemdNotifier.start(
        environment,
        probe,
        List.of("sh", "-c", "echo \"$1\" >>\"$0\"", directory.resolve("messages").toString()));
  }

  private List<String> messages() {
    try {
      Path messages = directory.resolve("messages");
      return Files.exists(messages) ? Files.readAllLines(messages) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
