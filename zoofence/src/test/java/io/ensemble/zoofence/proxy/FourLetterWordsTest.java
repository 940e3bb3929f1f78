package io.ensemble.zoofence.proxy;

import static java.util.Comparator.comparingLong;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.executor.QueueCounts;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FourLetterWordsTest {
  private static final ChannelGroup NO_CLIENTS =
      new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  private static @Nullable String answer(String permitted, String word) {
    ProxyOptions options =
        ProxyOptions.at(new InetSocketAddress(0)).words(FourLetterWhitelist.parse(permitted));
    var depths = new TreeMap<InstanceSet, Integer>(comparingLong(InstanceSet::bits));
    depths.put(InstanceSet.of(0, 2), 5);
    return new FourLetterWords(
            options,
            new ProxyLimits(1, 1, 1),
            NO_CLIENTS,
            new ProxyStatistics(),
            () -> new QueueCounts(depths, 1))
        .answer(word, new FourLetterWords.Listening(2181, -1));
  }

  @Test
  void theFiguresNameTheQueuesThatAreLedHere() {
    assertThat(answer("*", "mntr"))
        .contains("zoofence_queues_led\t1\n")
        .contains("zoofence_queues_stopped\t1\n")
        .contains("zoofence_queue_depth\t5\n")
        .contains("zoofence_queue_depth_1_3\t5\n");
    assertThat(answer("*", "ruok")).isEqualTo("imok");
    assertThat(answer("*", "kill")).isNull();
  }

  @Test
  void aWordThatIsNotPermittedIsAnsweredAsByAServer() {
    assertThat(answer("srvr", "ruok"))
        .isEqualTo("ruok is not executed because it is not in the whitelist.\n");
    assertThat(answer("srvr", "srvr")).startsWith("Zookeeper version: ");
    assertThat(answer("srvr", "kill")).isNull();
  }

  @Test
  void onlyPermittedWordsAreAnswered() {
    var some = FourLetterWhitelist.parse(" srvr , mntr,");

    assertThat(Set.of("srvr", "mntr")).allMatch(some::allows);
    assertThat(some.allows("stat")).isFalse();
    assertThat(FourLetterWhitelist.parse("ruok, *").allows("stat")).isTrue();
    assertThat(FourLetterWhitelist.parse("").allows("srvr")).isFalse();
    assertThat(FourLetterWhitelist.parse(null).allows("envi")).isTrue();
  }
}
