package io.ensemble.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.InvalidSettingException;
import io.ensemble.Mode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ReplicaNameTest {

  @Test
  void aReplicaThatIsAloneAtItsSiteHasTheSitesName() {
    ReplicaName alone = ReplicaName.of("lyon");

    assertThat(alone.site()).isEqualTo("lyon");
    assertThat(alone.isNumbered()).isFalse();
    assertThat(alone).hasToString("lyon");
  }

  @Test
  void oneOfSeveralIsNumbered() {
    for (String name : List.of("lyon/1", "lyon/2", "lyon/99", "a/b/7")) {
      ReplicaName replica = ReplicaName.of(name);

      assertThat(replica.isNumbered()).as(name).isTrue();
      assertThat(replica.site()).isEqualTo(name.substring(0, name.lastIndexOf('/')));
      assertThat(replica).hasToString(name);
    }
  }

  @Test
  void whatLooksLikeANumberAndIsNoneIsPartOfTheSitesName() {
    for (String name :
        List.of("lyon/0", "lyon/01", "lyon/100", "lyon/", "/1", "lyon/-1", "lyon/1 ")) {
      assertThat(ReplicaName.of(name)).as(name).isEqualTo(new ReplicaName(name, 0));
    }
  }

  @Test
  void replicasAreDealtOutEvenlyAndASiteOfOneKeepsItsName() {
    assertThat(ReplicaName.spread(List.of("a", "b", "c"), 5))
        .containsExactly("a/1", "a/2", "b/1", "b/2", "c");
    assertThat(ReplicaName.spread(List.of("a", "b", "c"), 9)).hasSize(9).endsWith("c/3");
    assertThat(ReplicaName.spread(List.of("a", "b", "c"), 3)).containsExactly("a", "b", "c");
    Map<String, Integer> counts = new LinkedHashMap<>();
    counts.put("b", 2);
    counts.put("a", 1);
    assertThat(ReplicaName.ofCounts(counts)).containsExactly("b/1", "b/2", "a");
  }

  @Test
  void aDefinitionTellsItsSitesFromItsReplicas() {
    CacheDefinition five =
        CacheDefinition.of("stock", Mode.MWMR).sites("lyon", "oslo", "rome").replicas(5).build();

    assertThat(five.sites()).containsExactly("lyon/1", "lyon/2", "oslo/1", "oslo/2", "rome");
    assertThat(five.siteNames()).containsExactly("lyon", "oslo", "rome");
    assertThat(five.majority()).isEqualTo(3);
    assertThat(five.isAtSite("oslo")).isTrue();
    assertThat(five.isAtSite("oslo/1")).isFalse();
    assertThat(five.replicaAt(java.util.Optional.of("oslo"))).contains("oslo/1");
  }

  @Test
  void ofThreeSitesNoneHoldsAMajority() {
    assertThatThrownBy(
            () ->
                CacheDefinition.of("stock", Mode.MWMR)
                    .sites("lyon/1", "lyon/2", "oslo", "rome")
                    .build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("majority")
        .hasMessageContaining("lyon");
    assertThatThrownBy(
            () ->
                CacheDefinition.of("stock", Mode.MWMR)
                    .sites("lyon", "oslo", "rome")
                    .replicas(4)
                    .build())
        .isInstanceOf(InvalidSettingException.class);
  }

  @Test
  void namesOfReplicasThatCannotBeMeantAreRefused() {
    for (List<String> sites :
        List.of(
            List.of("lyon", "lyon/2", "lyon/3"),
            List.of("lyon/1", "oslo", "rome"),
            List.of("lyon/2", "lyon/3", "lyon/4"))) {
      assertThatThrownBy(() -> CacheDefinition.of("stock", Mode.MWMR).sites(sites).build())
          .as("%s", sites)
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("SITE/1");
    }
    for (List<String> few : List.of(List.of("lyon/1"), List.of("lyon/1", "lyon/2"))) {
      assertThatThrownBy(() -> CacheDefinition.of("stock", Mode.MWMR).sites(few).build())
          .as("%s", few)
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("or 3 or more");
    }
    assertThatThrownBy(
            () -> CacheDefinition.of("stock", Mode.SWMR).sites("lyon", "oslo").replicas(4).build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("SWMR");
    for (int replicas : new int[] {1, 2}) {
      assertThatThrownBy(
              () -> CacheDefinition.of("stock", Mode.MWMR).sites("lyon").replicas(replicas).build())
          .as("%d at one site", replicas)
          .isInstanceOf(InvalidSettingException.class);
    }
    assertThatThrownBy(
            () -> CacheDefinition.of("stock", Mode.WEAK).sites("lyon/1", "lyon/2").build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("WEAK");
    assertThatThrownBy(
            () -> CacheDefinition.of("stock", Mode.MWMR).sites("lyon").replicas(10).build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("9");
  }
}
