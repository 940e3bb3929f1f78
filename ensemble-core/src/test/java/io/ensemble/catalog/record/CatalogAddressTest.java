package io.ensemble.catalog.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.CatalogAddress;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.RecordDefinitions;
import io.ensemble.catalog.definition.ZooKeeperDefinitions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogAddressTest {

  @TempDir Path directory;

  private static final ZooKeeperAccess OPEN = ZooKeeperAccess.to("h:1/p");

  private ZooKeeperAccess access(String... lines) throws Exception {
    return AccessFile.applied(
        Files.write(directory.resolve("access.properties"), List.of(lines)), OPEN);
  }

  @Test
  void aDirectoryAndAZooKeeperAreToldApart() throws Exception {
    try (RecordDefinitions files = CatalogAddress.open(directory.resolve("caches").toString());
        RecordDefinitions nodes = CatalogAddress.open("zk://127.0.0.1:1,127.0.0.1:2/here")) {
      assertThat(files).isInstanceOf(FileDefinitions.class);
      assertThat(nodes).isInstanceOf(ZooKeeperDefinitions.class);
    }
    assertThat(CatalogAddress.isRemote("zk://h:1")).isTrue();
    assertThat(CatalogAddress.isRemote("caches")).isFalse();
  }

  @Test
  void whatIsNoAddressIsRefusedSayingWhatOneIs() {
    for (String wrong :
        List.of(
            "", " ", "zk://", "zk:///path", "zk://h:1/p?", "zk://h:1?acces=f", "http://h:1/p")) {
      assertThatThrownBy(() -> CatalogAddress.open(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("host:port,...[/path]");
    }
  }

  @Test
  void theWayToTheServersAndThePathAreApart() {
    assertThat(OPEN.servers()).isEqualTo("h:1");
    assertThat(OPEN.path()).isEqualTo("/p");
    assertThat(ZooKeeperAccess.to("h:1,i:2").path()).isEqualTo("/ensemble");
    assertThat(ZooKeeperAccess.to("h:1/").path()).isEqualTo("/ensemble");
  }

  @Test
  void anAccessFileSaysWhoWeAreAndWhomWeTrust() throws Exception {
    Files.writeString(directory.resolve("pw"), "secret\n");
    ZooKeeperAccess access =
        access(
            "user=ada",
            "password_file=pw",
            "trust_store=trust.p12",
            "trust_store_password_file=pw",
            "key_store=key.p12",
            "key_store_password_file=pw");

    assertThat(access.isSomebody()).isTrue();
    assertThat(access.user()).hasValue("ada:secret".getBytes());
    assertThat(access.settings().getProperty("zookeeper.client.secure")).isEqualTo("true");
    assertThat(access.settings().getProperty("zookeeper.ssl.trustStore.location"))
        .isEqualTo(directory.resolve("trust.p12").toString());
    assertThat(access.toString()).doesNotContain("secret");
    assertThat(OPEN.isSomebody()).isFalse();
    assertThat(access("sasl=true").isSomebody()).isTrue();
  }

  @Test
  void whatAnAccessFileDoesNotSayRightIsRefused() {
    refused("accepts", "password=secret");
    refused("password_file or password_env", "user=ada");
    refused("password_file or password_env", "user=ada", "password_file=a", "password_env=b");
    refused("sasl=true", "sasl=yes");
    refused("trust_store", "key_store=k", "key_store_password_env=K");
    assertThatThrownBy(() -> AccessFile.applied(directory.resolve("none"), OPEN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("none");
  }

  private void refused(String why, String... lines) {
    assertThatThrownBy(() -> access(lines))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .hasMessageContaining("access.properties");
  }
}
