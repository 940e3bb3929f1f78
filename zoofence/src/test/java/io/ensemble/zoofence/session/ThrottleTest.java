package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.session.routing.ZnodeRoute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

final class ThrottleTest {
  private static final int HALF = (int) (Throttle.MOST_BYTES / 2);

  private final List<Boolean> pauses = new ArrayList<>();
  private final Throttle throttle = new Throttle(new Pausing());
  private final RequestOrder order = new RequestOrder();

  private static ZooKeeperRequest of(int bytes) {
    return new ZooKeeperRequest(1, OpCode.setData, ByteBuffer.allocate(bytes));
  }

  private InFlightRequest add(int bytes) {
    var task = new InFlightRequest(of(bytes), new ZnodeRoute.Write(0));
    order.add(task);
    throttle.update(order, List.of());
    return task;
  }

  @Test
  void noMoreIsReadWhileTheRequestsAreTooLargeTogether() {
    InFlightRequest first = add(HALF);
    add(HALF - 1);
    assertThat(pauses).isEmpty();
    add(1);
    assertThat(pauses).containsExactly(true);

    order.next(task -> true);
    throttle.update(order, List.of());
    assertThat(pauses).as("it runs").containsExactly(true);
    first.setReply(ZooKeeperReply.done());
    order.pollAnswered();
    throttle.update(order, List.of());

    assertThat(pauses).containsExactly(true, false);
  }

  @Test
  void anAbandonedRequestWeighsNothing() {
    add(2 * HALF);
    assertThat(pauses).containsExactly(true);

    order.removeFirst();
    throttle.update(order, List.of());

    assertThat(pauses).containsExactly(true, false);
    assertThat(order.bytes()).isZero();
  }

  @Test
  void whatComesBeforeTheSessionStandsCountsAsWell() {
    throttle.update(order, List.of(of(HALF), of(HALF)));

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

  private final class Pausing implements ZooFenceSession.Client {
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
