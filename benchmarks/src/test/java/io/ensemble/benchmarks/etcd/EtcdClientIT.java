package io.ensemble.benchmarks.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EtcdClientIT {

  private static final byte[] KEY = "key".getBytes(UTF_8);

  @TempDir private Path directory;

  private static byte[] text(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void aKeyIsWrittenIfItHasNotChangedAndReadOtherwise() {
    EtcdProgram.assumeInstalled();
    try (EtcdServers servers = EtcdServers.start(EtcdProgram.PATH, directory, 1, Optional.empty());
        EtcdClient client = new EtcdClient(servers.server(0))) {
      EtcdSwap made = client.putOrGet(KEY, 0, text("a"));
      EtcdSwap changed = client.putOrGet(KEY, made.content().modRevision(), text("b"));
      EtcdSwap late = client.putOrGet(KEY, made.content().modRevision(), text("c"));

      assertThat(made.isWritten()).isTrue();
      assertThat(changed.isWritten()).isTrue();
      assertThat(changed.content().modRevision()).isGreaterThan(made.content().modRevision());
      assertThat(late.isWritten()).isFalse();
      assertThat(late.content().modRevision()).isEqualTo(changed.content().modRevision());
      assertThat(late.content().value()).isEqualTo(text("b"));
      assertThat(client.get(KEY, 0, false).orElseThrow().value()).isEqualTo(text("b"));
    }
  }
}
