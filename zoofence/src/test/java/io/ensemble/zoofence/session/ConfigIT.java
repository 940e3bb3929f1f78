package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients cannot read or change the configuration of the servers behind a proxy. */
final class ConfigIT {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"", "/ hash 1"})
  void theConfigurationNamesNoServerThatClientsMustNotGoTo(String rules) throws Exception {
    try (var deployment = new TestDeployment(directory, 3, rules);
        ZooKeeper client = TestDeployment.client(deployment.serve(true))) {
      for (int instance = 0; instance < 3; instance++) {
        deployment
            .instances()
            .get(instance)
            .server()
            .getZKDatabase()
            .getDataTree()
            .setData("/zookeeper/config", "server.1=secret".getBytes(), 1, 1, 1);
      }
      var stat = new Stat();

      assertThat(client.getConfig(event -> {}, stat)).isEmpty();
      assertThat(stat.getDataLength()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/ hash 1"})
  void nobodyWritesTheConfigurationOfAnEnsemble(String rules) throws Exception {
    try (var deployment = new TestDeployment(directory, 3, rules);
        ZooKeeper client = TestDeployment.client(deployment.serve(true))) {
      for (int instance = 0; instance < 3; instance++) {
        // As where access lists are off.
        deployment
            .instances()
            .get(instance)
            .server()
            .getZKDatabase()
            .getDataTree()
            .setACL("/zookeeper/config", ZooDefs.Ids.OPEN_ACL_UNSAFE, -1);
      }

      assertThatThrownBy(() -> client.setData("/zookeeper/config", new byte[1], -1))
          .isInstanceOf(KeeperException.NoAuthException.class);
      assertThatThrownBy(
              () -> client.multi(List.of(Op.setData("/zookeeper/config", new byte[1], -1))))
          .isInstanceOf(KeeperException.NoAuthException.class);
      assertThatThrownBy(() -> client.setACL("/zookeeper/config", ZooDefs.Ids.OPEN_ACL_UNSAFE, -1))
          .isInstanceOf(KeeperException.NoAuthException.class);
    }
  }

  @Test
  void reconfigurationIsRefusedAsByAServerThatDoesNotPermitIt() throws Exception {
    try (var deployment = new TestDeployment(directory, 2, "")) {
      ProxyNode node = deployment.serve(false);
      for (String address :
          List.of(TestDeployment.address(node), deployment.deployment().admin().connectString())) {
        try (var admin = new ZooKeeperAdmin(address, 20_000, event -> {})) {
          assertThatThrownBy(
                  () -> admin.reconfigure("server.4=x:1:2;3", null, null, -1, new Stat()))
              .as(address)
              .isInstanceOf(KeeperException.ReconfigDisabledException.class);

          assertThat(admin.exists("/", false)).as("its session goes on").isNotNull();
        }
      }
    }
  }

  @Test
  void aClientThatAcceptsReadOnlyServersGetsAnOrdinarySession() throws Exception {
    try (var deployment = new TestDeployment(directory, 2, "")) {
      ProxyNode node = deployment.serve(true);
      try (var client = new ZooKeeper(TestDeployment.address(node), 20_000, event -> {}, true)) {
        client.create("/x", null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);

        assertThat(client.getState()).isEqualTo(ZooKeeper.States.CONNECTED);
      }
    }
  }
}
