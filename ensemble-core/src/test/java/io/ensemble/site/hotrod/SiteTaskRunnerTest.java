package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.site.hotrod.configuration.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.client.hotrod.exceptions.TransportException;
import org.junit.jupiter.api.Test;

/** Which of three nodes a task goes to, and by which client. */
class SiteTaskRunnerTest {

  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final Set<Integer> starting = new HashSet<>();
  private final Set<Integer> withoutScripts = new HashSet<>();
  private final List<Integer> pinged = new ArrayList<>();
  private final List<Integer> started = new ArrayList<>();
  private final List<Integer> stopped = new ArrayList<>();
  private final List<Runnable> background = new ArrayList<>();
  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final List<Endpoint> nodes = new ArrayList<>(List.of(node(1), node(2), node(3)));
  private boolean isBusy;
  private final IdleClients idleClients = new IdleClients(scheduler, this::later);
  private final SiteTaskRunner siteTaskRunner =
      new SiteTaskRunner(
          () -> List.copyOf(nodes), (node, longest) -> client(node), this::ping, idleClients);

  private static Endpoint node(int port) {
    return new Endpoint("127.0.0.1", port);
  }

  private RemoteCacheManager client(Endpoint node) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.addServer().host(node.host()).port(node.port());
    started.add(node.port());
    return new RemoteCacheManager(builder.build(), false) {
      @Override
      public void stop() {
        stopped.add(node.port());
      }
    };
  }

  private boolean later(Runnable blocking) {
    return !isBusy && background.add(blocking);
  }

  private static int port(RemoteCacheManager one) {
    return one.getConfiguration().servers().get(0).port();
  }

  private boolean ping(RemoteCacheManager one) {
    pinged.add(port(one));
    if (starting.contains(port(one))) {
      throw new TransportException("starting", null);
    }
    return !withoutScripts.contains(port(one));
  }

  private int ranAt() {
    return siteTaskRunner.run(LONGEST, SiteTaskRunnerTest::port);
  }

  @Test
  void aTaskGoesToTheVeryNodeThatHasAnswered() {
    starting.addAll(List.of(1, 2));

    assertThat(ranAt()).isEqualTo(3);
    assertThat(pinged).containsExactly(1, 2, 3);
    assertThat(ranAt()).as("the next one").isEqualTo(3);
    assertThat(pinged).containsExactly(1, 2, 3, 3);
  }

  @Test
  void aNodeThatDoesNotKnowItsScriptsYetIsPassedOver() {
    withoutScripts.addAll(List.of(1, 3));

    assertThat(ranAt()).isEqualTo(2);
  }

  @Test
  void whereNoNodeThatAnswersHasScriptsAnyOfThemWillDo() {
    withoutScripts.add(2);
    starting.addAll(List.of(1, 3));

    assertThat(ranAt()).isEqualTo(2);
  }

  @Test
  void whileAllAreStartingNothingIsSent() {
    starting.addAll(List.of(1, 2, 3));

    assertThatThrownBy(this::ranAt).isInstanceOf(HotRodClientException.class);
  }

  @Test
  void aTaskThatFailsIsNotRunAgainElsewhere() {
    List<Integer> ran = new ArrayList<>();

    assertThatThrownBy(
            () ->
                siteTaskRunner.run(
                    LONGEST,
                    one -> {
                      ran.add(port(one));
                      throw new TransportException("lost on the way", null);
                    }))
        .isInstanceOf(TransportException.class);
    assertThat(ran).hasSize(1);
  }

  @Test
  void theNextTaskUsesTheSameClientWhenItsNodeHasAnsweredAgain() {
    ranAt();
    ranAt();

    assertThat(pinged).containsExactly(1, 1);
    assertThat(started).containsExactly(1);
    assertThat(stopped).isEmpty();
  }

  @Test
  void aKeptClientWithoutAnAnswerIsReplaced() {
    ranAt();
    starting.add(1);

    assertThat(ranAt()).isEqualTo(2);
    assertThat(pinged).containsExactly(1, 1, 2);
    assertThat(started).containsExactly(1, 2);
    assertThat(stopped).containsExactly(1);
  }

  @Test
  void aClientWhoseTaskFailedIsNotKept() {
    assertThatThrownBy(
            () ->
                siteTaskRunner.run(
                    LONGEST,
                    one -> {
                      throw new TransportException("lost on the way", null);
                    }))
        .isInstanceOf(TransportException.class);

    assertThat(stopped).containsExactly(1);
    ranAt();
    assertThat(started).containsExactly(1, 1);
  }

  @Test
  void aClientOfANodeThatLeftTheSiteIsNotUsed() {
    ranAt();
    nodes.remove(0);

    assertThat(ranAt()).isEqualTo(2);
  }

  private void runWithin(int millis) {
    siteTaskRunner.run(Duration.ofMillis(millis), SiteTaskRunnerTest::port);
  }

  @Test
  void aClientThatWaitsMuchLongerOrLessIsNotUsed() {
    runWithin(4_000);

    runWithin(4_001);
    assertThat(started).as("the timeout of the kept one is shorter").hasSize(2);
    runWithin(2_001);
    runWithin(7_999);
    assertThat(started).as("about as long").hasSize(2);
    runWithin(2_000);
    assertThat(started).as("the timeouts of the kept ones are longer").hasSize(3);
    assertThat(stopped).as("two are kept").hasSize(1);
  }

  @Test
  void aClientIsNotUsedForever() {
    ranAt();
    for (int i = 0; i < 31; i++) {
      scheduler.advance(Duration.ofSeconds(1));
      ranAt();
    }

    assertThat(started).hasSize(2);
    assertThat(stopped).hasSize(1);
  }

  @Test
  void aClientWithoutTasksIsStoppedInTheBackground() {
    ranAt();
    scheduler.advance(IdleClients.IDLE_TIMEOUT.minusMillis(1));
    ranAt();
    scheduler.advance(IdleClients.IDLE_TIMEOUT.minusMillis(1));
    assertThat(background).as("it had a task meanwhile").isEmpty();

    isBusy = true;
    scheduler.advance(Duration.ofMillis(1));
    assertThat(background).isEmpty();
    isBusy = false;
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(background).isNotEmpty();
    assertThat(stopped).as("no scheduler's thread waits for its end").isEmpty();
    background.forEach(Runnable::run);
    assertThat(stopped).containsExactly(1);
  }

  @Test
  void clientsOfAClosedSiteAreStopped() {
    ranAt();
    idleClients.close();
    assertThat(stopped).containsExactly(1);

    ranAt();
    assertThat(stopped).containsExactly(1, 1);
  }
}
