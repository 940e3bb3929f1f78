package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

final class ThrottleTest {
  private static final int HALF = (int) (Throttle.MOST_BYTES / 2);

  private final List<Boolean> pauses = new ArrayList<>();
  private final Throttle throttle = new Throttle(new Pausing());
  private final Order order = new Order();

  private static Request of(int bytes) {
    return new Request(1, OpCode.setData, ByteBuffer.allocate(bytes));
  }

  private Task add(int bytes) {
    var task = new Task(of(bytes), new Route.Write(0));
    order.add(task);
    throttle.holds(order, List.of());
    return task;
  }

  @Test
  void noMoreIsReadWhileTheRequestsAreTooLargeTogether() {
    Task first = add(HALF);
    add(HALF - 1);
    assertThat(pauses).isEmpty();
    add(1);
    assertThat(pauses).containsExactly(true);

    order.next(task -> true);
    throttle.holds(order, List.of());
    assertThat(pauses).as("it runs").containsExactly(true);
    first.reply(Reply.done());
    order.answered();
    throttle.holds(order, List.of());

    assertThat(pauses).containsExactly(true, false);
  }

  @Test
  void whatIsGivenUpWeighsNothing() {
    add(2 * HALF);
    assertThat(pauses).containsExactly(true);

    order.give();
    throttle.holds(order, List.of());

    assertThat(pauses).containsExactly(true, false);
    assertThat(order.bytes()).isZero();
  }

  @Test
  void whatComesBeforeTheSessionStandsCountsAsWell() {
    throttle.holds(order, List.of(of(HALF), of(HALF)));

    assertThat(pauses).containsExactly(true);
  }

  @Test
  void noMoreIsReadWhileThereAreTooManyRequests() {
    for (int number = 1; number < Throttle.MOST_REQUESTS; number++) {
      add(0);
    }
    assertThat(pauses).isEmpty();

    add(0);

    assertThat(pauses).containsExactly(true);
  }

  private final class Pausing implements Session.Client {
    @Override
    public void send(ByteBuffer frame) {}

    @Override
    public void pause(boolean paused) {
      pauses.add(paused);
    }

    @Override
    public void close() {}
  }
}
