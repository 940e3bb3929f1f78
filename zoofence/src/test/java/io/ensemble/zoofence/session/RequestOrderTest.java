package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.session.routing.ZnodeRoute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

final class RequestOrderTest {
  private final RequestOrder order = new RequestOrder();

  private InFlightRequest add(ZnodeRoute route) {
    var task = new InFlightRequest(ZooKeeperRequest.bare(OpCode.ping), route);
    order.add(task);
    return task;
  }

  private InFlightRequest next() {
    return order.next(task -> true);
  }

  @Test
  void thoseOfOneLaneRunBesideEachOther() {
    InFlightRequest read = add(new ZnodeRoute.Read(1));
    InFlightRequest write = add(new ZnodeRoute.Write(1));

    assertThat(next()).isSameAs(read);
    assertThat(next()).isSameAs(write);
    assertThat(next()).isNull();
    assertThat(order.size()).isEqualTo(2);
  }

  @Test
  void whatIsTurnedAwayComesBackInItsOrderWhenNothingElseIsOnItsWay() {
    InFlightRequest first = add(new ZnodeRoute.Command(InstanceSet.of(0, 1)));
    InFlightRequest second = add(new ZnodeRoute.Command(InstanceSet.of(0, 1)));
    InFlightRequest third = add(new ZnodeRoute.Read(0));
    next();
    next();

    first.turnAway();
    assertThat(order.isQuiet()).isFalse();
    second.turnAway();
    assertThat(order.isQuiet()).isTrue();
    order.requeueRunning();
    order.reroute(request -> new ZnodeRoute.Write(1));

    assertThat(next()).isSameAs(first);
    assertThat(next()).isSameAs(second);
    assertThat(next()).isSameAs(third);
    assertThat(order.isQuiet()).isFalse();
  }

  @Test
  void anotherLaneWaitsUntilAllBeforeIsAnswered() {
    InFlightRequest here = add(new ZnodeRoute.Read(1));
    InFlightRequest there = add(new ZnodeRoute.Read(2));
    next();

    assertThat(next()).isNull();

    here.setReply(ZooKeeperReply.done());
    assertThat(next()).isNull();
    assertThat(order.pollAnswered()).isSameAs(here);
    assertThat(next()).isSameAs(there);
    assertThat(order.hasSwitched()).isTrue();
  }

  @Test
  void whatGoesAloneHasNothingBesideItNotEvenItsLike() {
    add(new ZnodeRoute.Gather());
    add(new ZnodeRoute.Gather());

    assertThat(next()).isNotNull();
    assertThat(next()).isNull();
  }

  @Test
  void repliesLeaveInTheRequestsOrder() {
    InFlightRequest first = add(new ZnodeRoute.Command(InstanceSet.of(0, 1)));
    InFlightRequest second = add(new ZnodeRoute.Command(InstanceSet.of(0, 1)));
    next();
    next();

    second.setReply(ZooKeeperReply.done());
    assertThat(order.pollAnswered()).isNull();

    first.setReply(ZooKeeperReply.done());
    assertThat(order.pollAnswered()).isSameAs(first);
    assertThat(order.pollAnswered()).isSameAs(second);
    assertThat(order.isEmpty()).isTrue();
  }

  @Test
  void aLaneThatIsNotFreeHoldsUpWhatFollows() {
    add(new ZnodeRoute.Read(1));

    assertThat(order.next(task -> false)).isNull();
    assertThat(next()).isNotNull();
  }

  @Test
  void whatRunsAgainRunsInTheSameOrder() {
    InFlightRequest first = add(new ZnodeRoute.Read(1));
    InFlightRequest second = add(new ZnodeRoute.Read(1));
    InFlightRequest third = add(new ZnodeRoute.Read(2));
    next();
    next();

    order.requeueRunning();

    assertThat(order.isHeadWaiting()).isTrue();
    assertThat(next()).isSameAs(first);
    assertThat(next()).isSameAs(second);
    assertThat(next()).isNull();
    assertThat(order.removeFirst()).isSameAs(third);
  }

  @Test
  void onlyTheFirstOfALaneHasSwitchedToIt() {
    InFlightRequest first = add(new ZnodeRoute.Read(1));
    next();
    assertThat(order.hasSwitched()).isTrue();
    first.setReply(ZooKeeperReply.done());
    order.pollAnswered();

    add(new ZnodeRoute.Read(1));
    next();

    assertThat(order.hasSwitched()).isFalse();
  }
}
