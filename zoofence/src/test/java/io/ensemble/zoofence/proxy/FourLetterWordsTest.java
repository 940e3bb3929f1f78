package io.ensemble.zoofence.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.queue.executor.QueueCounts;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import org.junit.jupiter.api.Test;

class FourLetterWordsTest {
  private static final ChannelGroup NOBODY = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  @Test
  void whoAsksForFiguresLearnsHowManyQueuesAreLedHere() {
    assertThat(FourLetterWords.answer("mntr", NOBODY, new QueueCounts(3, 1)))
        .contains("zoofence_queues_led\t3\n", "zoofence_queues_stopped\t1\n");
    assertThat(FourLetterWords.answer("ruok", NOBODY, QueueCounts.NONE)).isEqualTo("imok");
    assertThat(FourLetterWords.answer("kill", NOBODY, QueueCounts.NONE)).isNull();
  }
}
