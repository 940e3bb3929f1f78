package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.session.instance.InstanceClient;
import io.ensemble.zoofence.session.instance.InstanceGuard;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.session.routing.RoutingView;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.AuthPacket;
import org.apache.zookeeper.proto.WatcherEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests to an instance and their results, by what is known of its guard. */
final class InstanceClientIT {
  @TempDir Path directory;

  private final EventLoopGroup group = new NioEventLoopGroup(1);
  private final EventLoop loop = group.next();
  private TestDeployment deployment;
  private ZooKeeper direct;
  private RoutingView routingView;
  private InstanceClient instanceClient;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 1, "/a 1");
    String address = deployment.deployment().admin().connectString();
    direct = TestDeployment.client(address, 10_000, event -> {});
    instanceClient = onLoop(this::made);
    assertThat(read()).isTrue();
  }

  @AfterEach
  void stop() throws Exception {
    onLoop(
        () -> {
          instanceClient.link().end(true, () -> {});
          return true;
        });
    direct.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
    deployment.close();
  }

  private InstanceClient made() {
    var servers = deployment.instances().get(0).servers("1");
    var epoch = deployment.deployment().epoch();
    var router =
        new RoutingContext(
            List.of(servers), servers, epoch, TestDeployment.PATIENCE, ReadPreference.CANONICAL);
    routingView =
        new RoutingView(
            router,
            new InstanceSession(
                servers, -1, loop, new Owned(), 10_000, InstanceSession.Identity.NEW));
    var link =
        new InstanceSession(servers, 0, loop, new Owned(), 10_000, InstanceSession.Identity.NEW);
    return new InstanceClient(new Home(), link, true);
  }

  private <T> T onLoop(Callable<T> work) throws Exception {
    return loop.submit(work).get(20, TimeUnit.SECONDS);
  }

  /** Reads the current guard. */
  private boolean read() throws Exception {
    var read = new CompletableFuture<Boolean>();
    loop.execute(
        () ->
            instanceClient
                .link()
                .whenOpen(
                    TestDeployment.PATIENCE.toMillis(),
                    () -> instanceClient.readGuard(read::complete)));
    return read.get(20, TimeUnit.SECONDS);
  }

  private int pass(String path) throws Exception {
    return onLoop(() -> instanceClient.guardVersionFor(List.of("/elsewhere", path)));
  }

  @Test
  void aWritePassesWithTheGuardAsItWasRead() throws Exception {
    int version = direct.setData(ZooFencePaths.GUARD, new byte[0], -1).getVersion();

    assertThat(pass("/a")).isNotEqualTo(version);
    assertThat(read()).isTrue();
    assertThat(pass("/a")).isEqualTo(version);
  }

  @Test
  void whatIsLockedDoesNotPass() throws Exception {
    InstanceLocks locks = new InstanceLocks(List.of(new InstanceLocks.Lock("7:1", true, "/a")));
    int version = direct.setData(ZooFencePaths.GUARD, locks.bytes(), -1).getVersion();
    assertThat(read()).isTrue();

    assertThat(pass("/a/x")).isEqualTo(InstanceGuard.UNKNOWN.version());
    assertThat(pass("/b")).isEqualTo(version);
  }

  @Test
  void nothingPassesWhileTheGuardHasChangedAndIsNotRead() throws Exception {
    int passed =
        onLoop(
            () -> {
              instanceClient.guardChanged();
              return instanceClient.guardVersionFor(List.of("/b"));
            });

    assertThat(passed).isEqualTo(InstanceGuard.UNKNOWN.version());
  }

  @Test
  void nothingPassesToAnInstanceThatIsAhead() throws Exception {
    direct.setData(ZooFencePaths.EPOCH, "1".getBytes(StandardCharsets.UTF_8), -1);
    assertThat(read()).isTrue();

    assertThat(pass("/b")).isEqualTo(InstanceGuard.UNKNOWN.version());
    assertThat(onLoop(() -> routingView.isOutdated())).isTrue();
  }

  @Test
  void whatIsToldWhileTheGuardIsNotReadWaitsAndAllElseWaitsBehindIt() throws Exception {
    List<ByteBuffer> sent = new ArrayList<>();
    var outbox = new Outbox(sent::add, new RequestOrder(), ReadPreference.CANONICAL);
    var what = new WatcherEvent(EventType.NodeDeleted.getIntValue(), 3, "/a/x");
    var event = new ZooKeeperReply(ZooKeeperReply.EVENT_XID, 1, 0, Jute.write(what));

    onLoop(
        () -> {
          instanceClient.guardChanged();
          outbox.sendEvent(instanceClient, event, what);
          outbox.send(ZooKeeperReply.done().addressed(7, 1));
          outbox.flushHeld();
          assertThat(sent).isEmpty();
          return true;
        });
    assertThat(read()).isTrue();
    onLoop(
        () -> {
          outbox.flushHeld();
          outbox.send(ZooKeeperReply.done().addressed(8, 1));
          return true;
        });

    assertThat(sent)
        .extracting(frame -> frame.getInt(0))
        .containsExactly(ZooKeeperReply.EVENT_XID, 7, 8);
  }

  private final class Home implements InstanceClient.Home {
    @Override
    public long session() {
      return 1;
    }

    @Override
    public List<AuthPacket> credentials() {
      return List.of();
    }

    @Override
    public void recordSessions(Consumer<Boolean> callback) {
      callback.accept(true);
    }

    @Override
    public void guardChanged(InstanceClient changed) {}

    @Override
    public RoutingView routingView() {
      return routingView;
    }
  }

  /** Handles connections only: a test decides when the guard is read. */
  private final class Owned implements InstanceSession.Owner {
    @Override
    public void connected(InstanceSession link, boolean fresh, Consumer<Boolean> ready) {
      instanceClient.prepare(ready);
    }

    @Override
    public void event(InstanceSession link, ZooKeeperReply event) {}

    @Override
    public void broken(InstanceSession link, RuntimeException how) {
      throw how;
    }

    @Override
    public void expired(InstanceSession link) {}
  }
}
