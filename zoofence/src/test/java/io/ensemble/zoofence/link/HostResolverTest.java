package io.ensemble.zoofence.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class HostResolverTest {
  private final ArrayDeque<Runnable> elsewhere = new ArrayDeque<>();
  private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final List<@Nullable InetSocketAddress> found = new ArrayList<>();
  private final HostResolver resolver = new HostResolver(this::ask, elsewhere::add);

  private InetAddress ask(String host) throws UnknownHostException {
    asked.add(host);
    if (host.equals("unknown")) {
      throw new UnknownHostException(host);
    }
    return InetAddress.getLoopbackAddress();
  }

  private void resolve(String host) {
    resolver.resolve(InetSocketAddress.createUnresolved(host, 7), loop::add, found::add);
  }

  @Test
  void aHostIsAskedForAwayFromTheLoopThatHearsOfIt() {
    resolve("lyon");
    assertThat(asked).isEmpty();

    elsewhere.remove().run();
    assertThat(asked).containsExactly("lyon");
    assertThat(found).isEmpty();
    loop.remove().run();

    assertThat(found).containsExactly(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7));
  }

  @Test
  void anUnknownHostIsNull() {
    resolve("unknown");
    elsewhere.remove().run();
    loop.remove().run();

    assertThat(found).hasSize(1).containsNull();
  }

  @Test
  void numbersNeedNobody() {
    resolve("127.0.0.1");
    resolve("[::1]");

    assertThat(found).hasSize(2).doesNotContainNull();
    assertThat(elsewhere).isEmpty();
  }

  @Test
  void serversAreNotAskedForBeforeTheyAreUsed() {
    assertThat(InstanceServers.read("no-such-host:1").get(0).address(0).isUnresolved()).isTrue();
  }
}
