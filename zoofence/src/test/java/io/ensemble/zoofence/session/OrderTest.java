package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

final class OrderTest {
  private final Order order = new Order();

  private Task add(Route route) {
    var task = new Task(Request.bare(OpCode.ping), route);
    order.add(task);
    return task;
  }

  private Task next() {
    return order.next(task -> true);
  }

  @Test
  void thoseOfOneLaneRunBesideEachOther() {
    Task read = add(new Route.Read(1));
    Task write = add(new Route.Write(1));

    assertThat(next()).isSameAs(read);
    assertThat(next()).isSameAs(write);
    assertThat(next()).isNull();
    assertThat(order.size()).isEqualTo(2);
  }

  @Test
  void whatIsTurnedAwayComesBackInItsOrderWhenNothingElseIsOnItsWay() {
    Task first = add(new Route.Command(InstanceSet.of(0, 1)));
    Task second = add(new Route.Command(InstanceSet.of(0, 1)));
    Task third = add(new Route.Read(0));
    next();
    next();

    first.turnAway();
    assertThat(order.isQuiet()).isFalse();
    second.turnAway();
    assertThat(order.isQuiet()).isTrue();
    order.again();
    order.reroute(request -> new Route.Write(1));

    assertThat(next()).isSameAs(first);
    assertThat(next()).isSameAs(second);
    assertThat(next()).isSameAs(third);
    assertThat(order.isQuiet()).isFalse();
  }

  @Test
  void anotherLaneWaitsUntilAllBeforeIsAnswered() {
    Task here = add(new Route.Read(1));
    Task there = add(new Route.Read(2));
    next();

    assertThat(next()).isNull();

    here.reply(Reply.done());
    assertThat(next()).isNull();
    assertThat(order.answered()).isSameAs(here);
    assertThat(next()).isSameAs(there);
    assertThat(order.switched()).isTrue();
  }

  @Test
  void whatGoesAloneHasNothingBesideItNotEvenItsLike() {
    add(new Route.Gather());
    add(new Route.Gather());

    assertThat(next()).isNotNull();
    assertThat(next()).isNull();
  }

  @Test
  void repliesLeaveInTheRequestsOrder() {
    Task first = add(new Route.Command(InstanceSet.of(0, 1)));
    Task second = add(new Route.Command(InstanceSet.of(0, 1)));
    next();
    next();

    second.reply(Reply.done());
    assertThat(order.answered()).isNull();

    first.reply(Reply.done());
    assertThat(order.answered()).isSameAs(first);
    assertThat(order.answered()).isSameAs(second);
    assertThat(order.isEmpty()).isTrue();
  }

  @Test
  void aLaneThatIsNotFreeHoldsUpWhatFollows() {
    add(new Route.Read(1));

    assertThat(order.next(task -> false)).isNull();
    assertThat(next()).isNotNull();
  }

  @Test
  void whatRunsAgainRunsInTheSameOrder() {
    Task first = add(new Route.Read(1));
    Task second = add(new Route.Read(1));
    Task third = add(new Route.Read(2));
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
    Task first = add(new Route.Read(1));
    next();
    assertThat(order.switched()).isTrue();
    first.reply(Reply.done());
    order.answered();

    add(new Route.Read(1));
    next();

    assertThat(order.switched()).isFalse();
  }
}
