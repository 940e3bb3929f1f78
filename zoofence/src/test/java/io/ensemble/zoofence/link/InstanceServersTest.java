package io.ensemble.zoofence.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class InstanceServersTest {
  @Test
  void instancesHaveTheirNamesOrTheirNumbers() {
    List<InstanceServers> read = InstanceServers.read("a:1 | b:2, c | lyon = [::1]:3");

    assertThat(read)
        .containsExactly(
            new InstanceServers("1", List.of("a:1")),
            new InstanceServers("2", List.of("b:2", "c:2181")),
            new InstanceServers("lyon", List.of("[::1]:3")));
    assertThat(read.get(1).connectString()).isEqualTo("b:2,c:2181");
  }

  @Test
  void addressesGoRound() {
    InstanceServers servers = InstanceServers.read("a:1,b:2").get(0);

    assertThat(servers.address(3).getPort()).isEqualTo(2);
    assertThat(servers.address(-1).getHostName()).isEqualTo("b");
  }

  @Test
  void aTextThatCannotBeReadIsRefusedWithTheReason() {
    refused("", "empty part");
    refused("a:1||b:1", "empty part");
    refused("a:1|", "empty part");
    refused("a:1,,b:1", "empty part");
    refused("lyon=", "empty part");
    refused("=a:1", "an empty name");
    refused("a:", "no port");
    refused("a:x", "no port");
    refused("a:0", "no server");
    refused("a:65536", "no server");
    refused("a:-1", "no server");
    refused(":2181", "no server");
    refused("x=a:1|x=b:1", "two instances have the same name");
    refused("2=a:1|b:1", "two instances have the same name");
    refused("a:1/chroot|b:1", "a chroot must follow");
  }

  private static void refused(String text, String why) {
    assertThatThrownBy(() -> InstanceServers.read(text))
        .as(text)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }
}
