package io.ensemble.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Values from an independent implementation in Python; stored data depends on them. */
class StableHashTest {

  @Test
  void hashesAndBidsNeverChange() {
    assertThat(StableHash.of("")).isEqualTo(0xefd01f60ba992926L);
    assertThat(StableHash.of("a")).isEqualTo(0x82a2a958a9bece5bL);
    assertThat(StableHash.of("Orléans")).isEqualTo(0xd4ac29378f2ed559L);
    assertThat(StableHash.bid(StableHash.of("key"), "part")).isEqualTo(0x5ade25ae9281703cL);
  }

  @Test
  void placesOfKeysNeverChange() {
    List<String> parts = List.of("a", "b", "c", "d", "e");
    InstalledPartitioners installed = InstalledPartitioners.with(List.of());
    Partitioner rendezvous = installed.partitioner(PartitionerSpec.of("rendezvous"), parts);
    Partitioner modulo = installed.partitioner(PartitionerSpec.of("modulo"), parts);
    StringBuilder byRendezvous = new StringBuilder();
    StringBuilder byModulo = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      byRendezvous.append(parts.get(rendezvous.part(PartitionedKey.of("k" + i))));
      byModulo.append(modulo.part(PartitionedKey.of("k" + i)));
    }

    assertThat(byRendezvous).hasToString("eecdcddaeaabacadcbeebeddecabbcaedbdeeccb");
    assertThat(byModulo).hasToString("0321144041414014400444013043011122123221");
  }
}
