package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.Locks;
import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.link.Link;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Reply;
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

/** What goes to an instance, and what comes of it, by what is known of its guard. */
final class InstanceIT {
  @TempDir Path directory;

  private final EventLoopGroup group = new NioEventLoopGroup(1);
  private final EventLoop loop = group.next();
  private TestDeployment deployment;
  private ZooKeeper direct;
  private Chart chart;
  private Instance instance;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 1, "/a 1");
    String address = deployment.deployment().admin().connectString();
    direct = TestDeployment.client(address, 10_000, event -> {});
    instance = onLoop(this::made);
    assertThat(read()).isTrue();
  }

  @AfterEach
  void stop() throws Exception {
    onLoop(
        () -> {
          instance.link().end(true, () -> {});
          return true;
        });
    direct.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
    deployment.close();
  }

  private Instance made() {
    var servers = deployment.instances().get(0).servers("1");
    var edition = deployment.deployment().edition();
    var router =
        new Router(List.of(servers), servers, edition, TestDeployment.PATIENCE, Reads.CANONICAL);
    chart = new Chart(router, new Link(servers, -1, loop, new Owned(), 10_000, Link.Identity.NEW));
    var link = new Link(servers, 0, loop, new Owned(), 10_000, Link.Identity.NEW);
    return new Instance(new Home(), link, true);
  }

  private <T> T onLoop(Callable<T> work) throws Exception {
    return loop.submit(work).get(20, TimeUnit.SECONDS);
  }

  /** Reads the guard as it is by now. */
  private boolean read() throws Exception {
    var read = new CompletableFuture<Boolean>();
    loop.execute(
        () ->
            instance
                .link()
                .whenOpen(
                    TestDeployment.PATIENCE.toMillis(), () -> instance.readGuard(read::complete)));
    return read.get(20, TimeUnit.SECONDS);
  }

  private int pass(String path) throws Exception {
    return onLoop(() -> instance.pass(List.of("/elsewhere", path)));
  }

  @Test
  void aWritePassesWithTheGuardAsItWasRead() throws Exception {
    int version = direct.setData(Names.GUARD, new byte[0], -1).getVersion();

    assertThat(pass("/a")).isNotEqualTo(version);
    assertThat(read()).isTrue();
    assertThat(pass("/a")).isEqualTo(version);
  }

  @Test
  void whatIsLockedDoesNotPass() throws Exception {
    Locks locks = new Locks(List.of(new Locks.Lock("7:1", true, "/a")));
    int version = direct.setData(Names.GUARD, locks.bytes(), -1).getVersion();
    assertThat(read()).isTrue();

    assertThat(pass("/a/x")).isEqualTo(Guard.UNKNOWN.version());
    assertThat(pass("/b")).isEqualTo(version);
  }

  @Test
  void nothingPassesWhileTheGuardHasChangedAndIsNotRead() throws Exception {
    int passed =
        onLoop(
            () -> {
              instance.guardChanged();
              return instance.pass(List.of("/b"));
            });

    assertThat(passed).isEqualTo(Guard.UNKNOWN.version());
  }

  @Test
  void nothingPassesToAnInstanceThatIsAhead() throws Exception {
    direct.setData(Names.EDITION, "1".getBytes(StandardCharsets.UTF_8), -1);
    assertThat(read()).isTrue();

    assertThat(pass("/b")).isEqualTo(Guard.UNKNOWN.version());
    assertThat(onLoop(() -> chart.isOutdated())).isTrue();
  }

  @Test
  void whatIsToldWhileTheGuardIsNotReadWaitsAndAllElseWaitsBehindIt() throws Exception {
    List<ByteBuffer> sent = new ArrayList<>();
    var outbox = new Outbox(sent::add, new Order(), Reads.CANONICAL);
    var what = new WatcherEvent(EventType.NodeDeleted.getIntValue(), 3, "/a/x");
    var event = new Reply(Reply.EVENT_XID, 1, 0, Jute.write(what));

    onLoop(
        () -> {
          instance.guardChanged();
          outbox.tell(instance, event, what);
          outbox.send(Reply.done().addressed(7, 1));
          outbox.flush();
          assertThat(sent).isEmpty();
          return true;
        });
    assertThat(read()).isTrue();
    onLoop(
        () -> {
          outbox.flush();
          outbox.send(Reply.done().addressed(8, 1));
          return true;
        });

    assertThat(sent).extracting(frame -> frame.getInt(0)).containsExactly(Reply.EVENT_XID, 7, 8);
  }

  private final class Home implements Instance.Home {
    @Override
    public long session() {
      return 1;
    }

    @Override
    public List<AuthPacket> credentials() {
      return List.of();
    }

    @Override
    public void remember(Consumer<Boolean> then) {
      then.accept(true);
    }

    @Override
    public void guardChanged(Instance changed) {}

    @Override
    public Chart chart() {
      return chart;
    }
  }

  /** Hears of nothing but the connection: a test says when the guard is read. */
  private final class Owned implements Link.Owner {
    @Override
    public void connected(Link link, boolean fresh, Consumer<Boolean> ready) {
      instance.prepare(ready);
    }

    @Override
    public void event(Link link, Reply event) {}

    @Override
    public void broken(Link link, RuntimeException how) {
      throw how;
    }

    @Override
    public void expired(Link link) {}
  }
}
