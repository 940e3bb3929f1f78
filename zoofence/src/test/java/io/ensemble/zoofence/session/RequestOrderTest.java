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
    order.again();
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

    here.reply(ZooKeeperReply.done());
    assertThat(next()).isNull();
    assertThat(order.answered()).isSameAs(here);
    assertThat(next()).isSameAs(there);
    assertThat(order.switched()).isTrue();
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

    second.reply(ZooKeeperReply.done());
    assertThat(order.answered()).isNull();

    first.reply(ZooKeeperReply.done());
    assertThat(order.answered()).isSameAs(first);
    assertThat(order.answered()).isSameAs(second);
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

    order.again();

    assertThat(order.waitsFirst()).isTrue();
    assertThat(next()).isSameAs(first);
    assertThat(next()).isSameAs(second);
    assertThat(next()).isNull();
    assertThat(order.give()).isSameAs(third);
  }

  @Test
  void onlyTheFirstOfALaneHasSwitchedToIt() {
    InFlightRequest first = add(new ZnodeRoute.Read(1));
    next();
    assertThat(order.switched()).isTrue();
    first.reply(ZooKeeperReply.done());
    order.answered();

    add(new ZnodeRoute.Read(1));
    next();

    assertThat(order.switched()).isFalse();
  }
}
