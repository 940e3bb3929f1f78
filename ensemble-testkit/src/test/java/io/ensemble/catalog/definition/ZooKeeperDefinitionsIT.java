package io.ensemble.catalog.definition;

import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.zookeeper.ZooKeeperNode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A catalog in one ZooKeeper. */
class ZooKeeperDefinitionsIT extends ZooKeeperDefinitionsTest {

  @TempDir static Path directory;

  private static final int PORT = Ports.reserve(1);
  private static ZooKeeperNode node;

  @BeforeAll
  static void start() {
    node = ZooKeeperNode.start(directory, PORT);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Override
  String servers() {
    return node.connectString();
  }

  @Override
  void leave() {
    node.close();
  }

  @Override
  void comeBack() {
    start();
  }

  @Test
  void whileTheServerIsAwayNothingCountsAsDeletedAndAfterwardsAllIsThere() {
    leaveAndComeBack();
  }
}
