package io.ensemble.check.zoofence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.znodes.ZnodeLayout;
import io.ensemble.check.znodes.ZnodeSession;
import io.ensemble.check.znodes.ZnodeTree;
import io.ensemble.check.zoofence.FrameRelay.Frame;
import io.ensemble.check.zoofence.FrameRelay.Lie;
import io.ensemble.check.zoofence.FrameRelay.Wires;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.link.InstanceServers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Set-up and clean-up of a trial of ZooFence whose deployment another process runs. */
@Timeout(600)
class ZooFenceRunIT {
  /** Must suffice for a slow machine, and is reached if the proxies are hidden. */
  private static final Duration MAKING = Duration.ofSeconds(20);

  /** Longer than any test: a run that is denied access must not use it up. */
  private static final Duration NEVER_REACHED = Duration.ofHours(1);

  @TempDir Path directory;

  private PlantedZooFence planted(Supplier<Lie> toClients) throws Exception {
    return new PlantedZooFence(directory, toClients, instance -> new Lie());
  }

  private CheckReport run(ZooFenceTestbed ground, Consumer<String> progress) throws Exception {
    return run(ground, progress, MAKING);
  }

  private CheckReport run(ZooFenceTestbed ground, Consumer<String> progress, Duration making)
      throws Exception {
    ZooFenceRequest request =
        new ZooFenceRequest(
            4, 1, 60, 5, Duration.ofSeconds(1), 1, Set.of(), 50, PlantedZooFence.PATIENCE);
    Path parts = Files.createDirectories(directory.resolve("parts"));
    return new ZooFenceRun(request, ground, parts, progress, PlantedZooFence.CLIENTS, making)
        .run()
        .report();
  }

  @Test
  void whatCannotBeRemovedDoesNotHideTheVerdict() throws Exception {
    try (PlantedZooFence planted = planted(Lie::new)) {
      ZooFenceTestbed ground = planted.ofOthers();

      CheckReport report =
          run(
              ground,
              line -> {
                if (line.equals("removing znodes")) {
                  planted.hideProxies();
                }
              });

      assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
      assertThat(report.ok()).isFalse();
      assertThat(report.problems())
          .singleElement()
          .asString()
          .startsWith(ground.root() + " remains: ");
    }
  }

  @Test
  void whatCannotBeLookedAtDoesNotHideTheVerdictAndAllIsRemoved() throws Exception {
    AtomicBoolean sick = new AtomicBoolean();
    List<FrameRelay> relays = new ArrayList<>();
    try (PlantedZooFence planted = planted(Lie::new)) {
      ZooFenceTestbed others = planted.ofOthers();
      List<InstanceServers> seen = new ArrayList<>();
      for (InstanceServers one : others.instances()) {
        String address = one.addresses().get(0);
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        FrameRelay relay = new FrameRelay(() -> port, () -> new Sick(sick));
        relays.add(relay);
        seen.add(new InstanceServers(one.name(), List.of(relay.address())));
      }
      ZooFenceTestbed ground =
          new ZooFenceTestbed(
              others.sites(),
              seen,
              seen.get(0),
              others.proxies(),
              others.root(),
              others.sessionMillis());

      CheckReport report =
          run(ground, line -> sick.compareAndSet(false, line.startsWith("waiting for the last")));

      assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
      assertThat(report.problems())
          .hasSize(2)
          .allMatch(problem -> problem.contains(" failed: an instance does not answer"));
      assertThat(planted.has(ground.root())).isFalse();
    }
    for (FrameRelay relay : relays) {
      relay.close();
    }
  }

  @Test
  void whatWasMadeHalfIsRemoved() throws Exception {
    try (PlantedZooFence planted = planted(Stingy::new)) {
      ZooFenceTestbed ground = planted.ofOthers();
      List<Boolean> there = new ArrayList<>();

      assertThatThrownBy(
              () ->
                  run(
                      ground,
                      line -> {
                        if (line.equals("removing znodes")) {
                          there.add(planted.has(ground.root() + "/at1"));
                        }
                      },
                      NEVER_REACHED))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("created: " + ground.root() + "/all")
          .hasMessageContaining("NOAUTH");

      assertThat(there).containsExactly(true);
      assertThat(planted.has(ground.root())).isFalse();
    }
  }

  @Test
  void aSessionThatIsOverIsFollowedByAnother() throws Exception {
    try (PlantedZooFence planted = planted(Lie::new)) {
      ZooFenceTestbed ground = planted.ofOthers();
      List<ZnodeSession> sessions = new ArrayList<>();
      ZnodeLayout layout = ZnodeLayout.of(ground.root(), 5, Flattening.replicated(2));
      Supplier<ZnodeSession> another =
          () -> {
            sessions.add(
                new ZnodeSession(String.join(",", ground.proxies()), ground.sessionMillis()));
            return sessions.get(sessions.size() - 1);
          };

      try (ZnodeTree tree = new ZnodeTree(layout, another, Duration.ofSeconds(60))) {
        tree.make();
        sessions.get(0).expireFromOtherClient();
        assertThat(sessions.get(0).awaitExpired(20_000)).isTrue();
        tree.remove();
      }

      assertThat(sessions).hasSizeGreaterThan(1); // A paused machine loses further sessions.
      assertThat(planted.has(ground.root())).isFalse();
    }
  }

  private static Frame refusal(int xid, long zxid, Code why) {
    return new Frame(
        ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES)
            .putInt(xid)
            .putLong(zxid)
            .putInt(why.intValue())
            .array());
  }

  /** An instance that fails all requests once the fault has begun. */
  private static final class Sick extends Lie {
    private final AtomicBoolean begun;

    Sick(AtomicBoolean begun) {
      this.begun = begun;
    }

    @Override
    void reply(Frame frame, Wires wires) throws IOException {
      boolean sick = begun.get() && frame.xid() > 0;
      wires.toClient(sick ? refusal(frame.xid(), frame.zxid(), Code.SYSTEMERROR) : frame);
    }
  }

  /** A proxy that refuses to create one of the znodes. */
  private static final class Stingy extends Lie {
    @Override
    void request(Frame frame, Wires wires) throws IOException {
      if (frame.type() == OpCode.create && frame.path().endsWith("/all")) {
        wires.toClient(refusal(frame.xid(), 0, Code.NOAUTH));
      } else {
        wires.toServer(frame);
      }
    }
  }
}
