package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetAllChildrenNumberResponse;
import org.apache.zookeeper.proto.GetChildrenResponse;
import org.junit.jupiter.api.Test;

final class DescendantCounterTest {
  private static final Map<String, List<String>> CHILDREN =
      Map.of(
          "/", List.of("a", "b", "zookeeper"),
          "/zookeeper", List.of("config", "quota", "zoofence", "zoofence-admin"));
  private static final Map<String, Integer> BELOW =
      Map.of("/a", 3, "/b", 0, "/zookeeper", 99, "/zookeeper/config", 0, "/zookeeper/quota", 1);

  private final List<ZooKeeperReply> told = new ArrayList<>();
  private final DescendantCounter descendantCounter =
      new DescendantCounter(
          FlatteningText.read("/a 1\n/b 2\n/zookeeper 2\n", List.of("x", "y")),
          ReadPreference.CANONICAL,
          DescendantCounterTest::answer,
          told::add);

  private static void answer(
      int instance, ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    Integer below = BELOW.get(request.path());
    if (request.type() == OpCode.getChildren) {
      callback.accept(ZooKeeperReply.done(new GetChildrenResponse(CHILDREN.get(request.path()))));
    } else if (below == null) {
      callback.accept(ZooKeeperReply.failed(Code.NONODE));
    } else {
      callback.accept(ZooKeeperReply.done(new GetAllChildrenNumberResponse(below)));
    }
  }

  private int counted() {
    assertThat(told).hasSize(1);
    return Jute.read(told.get(0).body(), new GetAllChildrenNumberResponse()).getTotalNumber();
  }

  @Test
  void ourOwnZnodesAreNotCountedWhereOneInstanceHoldsWhatTheyStandBelow() {
    descendantCounter.countBelow("/");

    assertThat(counted()).isEqualTo(3 + 3 + 2 + 1);
  }

  @Test
  void anInstanceCountsWhatItAloneHolds() {
    descendantCounter.countBelow("/a");

    assertThat(counted()).isEqualTo(3);
  }

  @Test
  void belowNothingIsNothingToCount() {
    descendantCounter.countBelow("/b/none");

    assertThat(told).singleElement().matches(reply -> reply.failedWith(Code.NONODE));
  }
}
