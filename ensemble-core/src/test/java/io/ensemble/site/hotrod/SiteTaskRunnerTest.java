package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

/** Which of three nodes a task goes to. */
class SiteTaskRunnerTest {

  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final Set<Integer> starting = new HashSet<>();
  private final Set<Integer> withoutScripts = new HashSet<>();
  private final List<Integer> hailed = new ArrayList<>();
  private final SiteTaskRunner siteTaskRunner =
      new SiteTaskRunner(
          () -> List.of(node(1), node(2), node(3)), (node, longest) -> client(node), this::hail);

  private static Endpoint node(int port) {
    return new Endpoint("127.0.0.1", port);
  }

  private static RemoteCacheManager client(Endpoint node) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.addServer().host(node.host()).port(node.port());
    return new RemoteCacheManager(builder.build(), false);
  }

  private static int port(RemoteCacheManager one) {
    return one.getConfiguration().servers().get(0).port();
  }

  private boolean hail(RemoteCacheManager one) {
    hailed.add(port(one));
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
    assertThat(hailed).containsExactly(1, 2, 3);
    assertThat(ranAt()).as("the next one").isEqualTo(3);
    assertThat(hailed).containsExactly(1, 2, 3, 3);
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
}
