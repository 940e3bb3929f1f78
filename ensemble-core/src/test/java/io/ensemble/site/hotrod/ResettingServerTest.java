package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteLimits;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An address that accepts connections and resets them, as a relay without a server does. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ResettingServerTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private ServerSocket server;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread resetting = new Thread(this::reset, "resetting");
    resetting.setDaemon(true);
    resetting.start();
  }

  private void reset() {
    try {
      while (true) {
        Socket connection = server.accept();
        connection.setSoLinger(true, 0);
        connection.close();
      }
    } catch (IOException closed) {
      // The test has ended.
    }
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    scheduler.close();
  }

  private SiteConfiguration impatient() {
    return SiteConfiguration.builder("lyon")
        .endpoint("127.0.0.1:" + server.getLocalPort())
        .limits(new SiteLimits(4, 4, Duration.ofMillis(100)))
        .build();
  }

  /**
   * Infinispan's client hangs forever in one start of ten, or of hundreds. {@link
   * InterruptTimerTest} tests without such chance what ends this.
   */
  @Test
  void aClientThatNeverFinishesItsStartTimesOut() throws Exception {
    ExecutorService starter = Executors.newSingleThreadExecutor();
    try {
      for (int attempt = 0; attempt < 40; attempt++) {
        HotRodClient client =
            new HotRodClient(this::impatient, scheduler, new HotRodResponses("lyon"));
        Future<?> started = starter.submit(client::manager);

        assertThat(endsInTime(started)).as("attempt %d ends, connected or not", attempt).isTrue();
        client.close();
      }
      assertThat(starter.submit(Thread::interrupted).get(30, TimeUnit.SECONDS)).isFalse();
    } finally {
      starter.shutdownNow();
    }
  }

  private static boolean endsInTime(Future<?> started) throws InterruptedException {
    try {
      started.get(30, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException refused) {
      return true;
    } catch (TimeoutException hanging) {
      return false;
    }
  }

  @Test
  void whoAsksIsToldInTimeAllTheSame() {
    try (Site site = new HotRodSite(this::impatient, scheduler)) {
      Deadline deadline = Deadline.after(Duration.ofSeconds(1), scheduler);
      var opened = site.open("store", StoreKind.PLAIN, deadline).toCompletableFuture();

      assertThatThrownBy(() -> opened.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(SiteException.class);
    }
  }
}
