package io.ensemble.testkit.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LinkHandlerTest {
  private static final int MIB = 1 << 20;

  private final NodeLink link = new NodeLink();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ChannelHandler handler = link.attach(channel);

  LinkHandlerTest() {
    channel.pipeline().addFirst(handler);
  }

  @Test
  void aHealthyLinkPassesBothWays() {
    channel.writeInbound("request");
    channel.writeOutbound("reply");

    assertThat(channel.<Object>readInbound()).isEqualTo("request");
    assertThat(channel.<Object>readOutbound()).isEqualTo("reply");
  }

  @Test
  void heldMessagesComeOutInOrderWhenHealed() {
    link.blockRequests();
    channel.writeInbound("1", "2", "3");
    assertThat(channel.<Object>readInbound()).isNull();

    link.heal();
    channel.runPendingTasks();
    channel.writeInbound("4");

    for (String expected : new String[] {"1", "2", "3", "4"}) {
      assertThat(channel.<Object>readInbound()).isEqualTo(expected);
    }
  }

  @Test
  void blockedRepliesDoNotStopRequests() {
    link.blockReplies();
    channel.writeInbound("request");
    ChannelFuture reply = channel.write("reply");
    channel.flush();

    assertThat(channel.<Object>readInbound()).isEqualTo("request");
    assertThat(channel.<Object>readOutbound()).isNull();
    assertThat(reply.isDone()).isFalse();
  }

  @Test
  void aMessageOvertakesNoneThatWasDelayedLonger() {
    link.delay(Duration.ofHours(1));
    channel.writeInbound("slow");
    link.delay(Duration.ofNanos(1));
    channel.writeInbound("fast");
    channel.runPendingTasks();
    assertThat(channel.<Object>readInbound()).isNull();

    link.heal();
    channel.runPendingTasks();
    assertThat(channel.<Object>readInbound()).isEqualTo("slow");
    assertThat(channel.<Object>readInbound()).isEqualTo("fast");
  }

  @Test
  void aConnectionHoldingItsLimitLivesAndOneByteMoreClosesIt() {
    link.hang();
    ByteBuf atLimit = Unpooled.buffer((int) LinkHandler.HELD_LIMIT_BYTES);
    atLimit.writerIndex((int) LinkHandler.HELD_LIMIT_BYTES);
    channel.writeInbound(atLimit);
    assertThat(channel.isOpen()).isTrue();

    ByteBuf oneByte = Unpooled.buffer(1).writeByte(0);
    channel.writeInbound(oneByte);

    assertThat(channel.isOpen()).isFalse();
    assertThat(atLimit.refCnt()).isZero();
    assertThat(oneByte.refCnt()).isZero();
  }

  @Test
  void closingReleasesWhatIsHeldAndFailsTheReplies() {
    link.blockReplies();
    ByteBuf held = Unpooled.buffer(MIB).writeByte(0);
    ChannelFuture reply = channel.writeAndFlush(held);

    ChannelFuture unused = channel.close();
    channel.runPendingTasks();

    assertThat(held.refCnt()).isZero();
    assertThat(reply.cause()).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void aCutLinkClosesOldConnectionsAndNewOnesAtTheirFirstRequest() {
    link.cut();
    channel.runPendingTasks();
    EmbeddedChannel late = new EmbeddedChannel();
    late.pipeline().addFirst(link.attach(late));
    assertThat(channel.isOpen()).isFalse();
    assertThat(late.isOpen()).isTrue();

    ByteBuf request = Unpooled.buffer(1).writeByte(0);
    late.writeInbound(request);

    assertThat(late.isOpen()).isFalse();
    assertThat(request.refCnt()).isZero();
    assertThat(late.<Object>readInbound()).isNull();
  }
}
