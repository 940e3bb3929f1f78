package io.ensemble.zoofence.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.flattening.MovePreview;
import io.ensemble.zoofence.flattening.MovePreview.Copies;
import io.ensemble.zoofence.queue.QueueCommand.Credential;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A preview tells what a move does, and changes nothing. */
final class MovePreviewIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Credential ANN = new Credential("digest", UTF_8.encode("ann:secret"));

  @TempDir Path directory;

  private TestDeployment deployment;
  private ZooKeeper client;
  private SubtreeMover mover;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 3, "/a 1;/b 2;/b/c 2");
    client = TestDeployment.client(deployment.serve(true));
    mover = new SubtreeMover(deployment.deployment(), TestDeployment.PATIENCE);
    create("/a", "root", Ids.OPEN_ACL_UNSAFE);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    deployment.close();
  }

  private void create(String path, String data, List<ACL> acl) throws Exception {
    client.create(path, data.getBytes(UTF_8), acl, CreateMode.PERSISTENT);
  }

  private MovePreview preview(String path, String rule, Credential... credentials)
      throws Exception {
    return mover.preview(path, rule, List.of(credentials), LIMIT);
  }

  @Test
  void itCountsWhatTheMoveCopiesAndRemoves() throws Exception {
    create("/a/x", "12345", Ids.OPEN_ACL_UNSAFE);
    create("/a/x/y", "678", Ids.OPEN_ACL_UNSAFE);
    client.setData("/a/x", "1234567".getBytes(UTF_8), -1);
    client.setData("/a/x", "12345678".getBytes(UTF_8), -1);
    create("/a/gone", "", Ids.OPEN_ACL_UNSAFE);
    client.delete("/a/gone", -1);

    MovePreview preview = preview("/a", "2,3");

    assertThat(preview.znodes()).isEqualTo(3);
    assertThat(preview.dataBytes()).isEqualTo("root".length() + 8 + 3);
    // The root is at all instances, without data at those that do not hold it: one change gives it
    // the data. Two changes reach the version of /a/x, and one replaces the child that is gone.
    Copies copies = new Copies(2, preview.dataBytes(), 1 + 2 + 1);
    assertThat(preview.copies()).isEqualTo(Map.of("2", copies, "3", copies));
    assertThat(preview.removals()).isEqualTo(Map.of("1", 2L));
    assertThat(preview.isRefused()).isFalse();
    assertThat(deployment.node(1, "/a/x")).isNull();
    assertThat(mover.flattening()).isEqualTo(deployment.deployment().flattening());
    assertThat(client.exists("/a/x", false).getVersion()).isEqualTo(2);

    mover.move("/a", "2,3", List.of(), LIMIT);

    assertThat(deployment.node(1, "/a/x/y")).isNotNull();
    assertThat(preview("/a", "2,3"))
        .as("nothing is left to do")
        .isEqualTo(new MovePreview(0, 0, Map.of(), Map.of(), List.of(), 0));
  }

  @Test
  void itNamesEachZnodeThatRefusesTheMove() throws Exception {
    create("/a/closed", "1", Collections.singletonList(new ACL(Perms.ALL, digestOfAnn())));
    client.addAuthInfo("digest", "ann:secret".getBytes(UTF_8));
    create("/a/closed/below", "2", Ids.CREATOR_ALL_ACL);
    create("/a/fixed", "3", Ids.READ_ACL_UNSAFE);
    client.create("/a/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);

    assertThat(preview("/a", "2").refusals())
        .containsExactlyInAnyOrder(
            "only persistent znodes can be moved: /a/mine is ephemeral, a container, or has a time"
                + " to live; delete it first",
            "the credentials of the mover do not permit reading and changing /a/closed",
            "the credentials of the mover do not permit reading and changing /a/fixed");
    assertThat(preview("/a", "2", ANN).refusalCount()).isEqualTo(2);
    assertThat(client.exists("/a/closed", false).getVersion()).isZero();
    assertThat(client.exists("/a/closed", false).getCversion()).isEqualTo(1);
    assertThatThrownBy(() -> mover.move("/a", "2", List.of(ANN), LIMIT))
        .as("a move refuses the first")
        .hasMessageContaining("/a/mine is ephemeral");
  }

  private static Id digestOfAnn() throws Exception {
    return new Id("digest", DigestAuthenticationProvider.generateDigest("ann:secret"));
  }

  @Test
  void anEphemeralZnodeThatSeveralEnsemblesHoldRefusesTheMove() throws Exception {
    create("/all", "", Ids.OPEN_ACL_UNSAFE);
    client.create("/all/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    client.addAuthInfo("digest", "ann:secret".getBytes(UTF_8));
    client.create("/all/own", null, Ids.CREATOR_ALL_ACL, CreateMode.EPHEMERAL);

    assertThat(preview("/all", "2").refusals())
        .contains(
            "only persistent znodes can be moved: /all/own is ephemeral, a container, or has a"
                + " time to live; delete it first",
            "only persistent znodes can be moved: /all/mine is ephemeral, a container, or has a"
                + " time to live; delete it first");
  }

  @Test
  void aFlatteningThatCannotBeRefusesTheMove() throws Exception {
    assertThat(preview("/b", "1").refusals()).singleElement().asString().contains("/b/c");
    assertThat(preview("/", "1").isRefused()).isTrue();
    assertThat(preview("/a", "7").isRefused()).isTrue();
    assertThat(preview("no path", "1").isRefused()).isTrue();
  }

  @Test
  void manyReasonsAreCountedAndTheFirstOnesNamed() throws Exception {
    int many = MovePreview.MOST_REFUSALS + 5;
    for (int i = 0; i < many; i++) {
      client.create("/a/mine" + i, null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    }

    MovePreview preview = preview("/a", "2");

    assertThat(preview.refusals()).hasSize(MovePreview.MOST_REFUSALS);
    assertThat(preview.refusalCount()).isEqualTo(many);
    assertThat(preview.copies()).containsKey("2");
    assertThat(Copies.NONE.plus(new Copies(1, 2, 3))).isEqualTo(new Copies(1, 2, 3));
  }

  @Test
  void tooLittleTimeIsReported() {
    assertThatThrownBy(() -> mover.preview("/a", "2", List.of(), Duration.ZERO))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("/a could not be read within 0 ms");
  }
}
