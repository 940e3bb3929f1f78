package io.ensemble.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import io.ensemble.placement.SiteLoad.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {

  private static final Map<String, List<String>> NONE = Map.of();
  private static final SiteLoad LYON = site("lyon", "eu", "z1");
  private static final SiteLoad OSLO = site("oslo", "eu", "z2");
  private static final SiteLoad ROME = site("rome", "eu", "z1");
  private static final SiteLoad UTAH = site("utah", "us", "z3");
  private static final List<SiteLoad> ALL = List.of(LYON, OSLO, ROME, UTAH);

  private static SiteLoad site(String name, String region, String zone) {
    return SiteLoad.serving(name, Map.of("region", region, "zone", zone)).with(100, 100);
  }

  private static List<String> sites(PlacementPolicy.Builder wish, List<SiteLoad> sites) {
    return Placement.place(wish.build(), sites, NONE).sites();
  }

  @Test
  void explicitSitesAreTakenInTheirOrder() {
    PlacementResult placed =
        Placement.place(PlacementPolicy.exactly("c", List.of("rome", "lyon")).build(), ALL, NONE);

    assertThat(placed.sites()).containsExactly("rome", "lyon");
    assertThat(placed.text())
        .isEqualTo(
            """
            rome: chosen as number 1: named
            lyon: chosen as number 2: named
            oslo: excluded: not named by the policy
            utah: excluded: not named by the policy""");
  }

  @Test
  void explicitSitesThatMayNotAreRefusedEachWithItsReason() {
    PlacementPolicy wish =
        PlacementPolicy.exactly("c", List.of("lyon", "mars", "oslo", "utah"))
            .ban("oslo")
            .require("region", "eu")
            .build();

    assertThatExceptionOfType(PlacementImpossibleException.class)
        .isThrownBy(() -> Placement.place(wish, ALL, NONE))
        .withMessage(
            "too few sites may hold the cache; cache=c required=4 found=1; mars: does not exist; "
                + "oslo: banned; utah: label region must be eu, is us")
        .satisfies(
            refused ->
                assertThat(refused.reasons())
                    .containsOnly(
                        entry("mars", "does not exist"),
                        entry("oslo", "banned"),
                        entry("utah", "label region must be eu, is us")));
  }

  @Test
  void bannedAndDrainingAndJoiningSitesAreLeftOut() {
    List<SiteLoad> sites = List.of(LYON.in(State.DRAINING), OSLO, ROME.in(State.JOINING), UTAH);

    assertThat(sites(PlacementPolicy.copies("c", 1).ban("oslo"), sites)).containsExactly("utah");
    assertThatExceptionOfType(PlacementImpossibleException.class)
        .isThrownBy(() -> sites(PlacementPolicy.copies("c", 2).ban("oslo"), sites))
        .withMessage(
            "too few sites may hold the cache; cache=c required=2 found=1; lyon: draining; oslo: "
                + "banned; rome: still joining");
  }

  @Test
  void aLabelThatNobodyHasIsNamed() {
    assertThatExceptionOfType(PlacementImpossibleException.class)
        .isThrownBy(
            () ->
                sites(
                    PlacementPolicy.copies("c", 1).require("region", "mars").require("disk", "ssd"),
                    List.of(LYON, SiteLoad.serving("bern", Map.of()))))
        .withMessage(
            "too few sites may hold the cache; cache=c required=1 found=0; bern: label disk=ssd "
                + "missing, label region=mars missing; lyon: label disk=ssd missing, label region "
                + "must be mars, is eu; no site has label disk=ssd; no site has label region=mars");
  }

  @Test
  void aSiteWithoutRoomIsLeftOut() {
    List<SiteLoad> sites = List.of(LYON.withRoom(9), OSLO.withRoom(10), ROME);

    assertThat(sites(PlacementPolicy.copies("c", 2).entries(10), sites))
        .containsExactlyInAnyOrder("oslo", "rome");
    assertThatExceptionOfType(PlacementImpossibleException.class)
        .isThrownBy(() -> sites(PlacementPolicy.copies("c", 3).entries(10), sites))
        .withMessageContaining("lyon: free capacity is 9 entries, required are 10");
  }

  @Test
  void whoHasLessIsTaken() {
    List<SiteLoad> sites = List.of(LYON.with(300, 100), OSLO.with(0, 100), ROME.with(100, 100));

    assertThat(sites(PlacementPolicy.copies("c", 2), sites)).containsExactly("oslo", "rome");
    assertThat(sites(PlacementPolicy.copies("c", 1), List.of(LYON.with(5, 10), OSLO.with(5, 900))))
        .containsExactly("lyon");
  }

  @Test
  void aSiteWithoutFiguresCountsAsTheMean() {
    SiteLoad unknown = SiteLoad.serving("a", Map.of());
    List<SiteLoad> sites = List.of(unknown, LYON.with(50, 100), OSLO.with(150, 100));

    PlacementResult placed = Placement.place(PlacementPolicy.copies("c", 3).build(), sites, NONE);

    assertThat(placed.sites()).containsExactly("lyon", "a", "oslo");
    assertThat(placed.text())
        .contains(
            "a: chosen as number 2: score -500: preferred 0, near 0, held 0, entries -300 "
                + "(unknown, the mean is assumed), load -200 (unknown, the mean is assumed)")
        .contains("entries -150 (50, 500 permille of the mean)");
  }

  @Test
  void aPreferredSiteIsTakenHoweverFullItIs() {
    List<SiteLoad> sites =
        List.of(LYON.with(1000, 1000), OSLO.with(0, 0), ROME.with(0, 0), UTAH.with(0, 0));
    Map<String, List<String>> others = Map.of("c", List.of("oslo", "rome"), "d", List.of("oslo"));

    PlacementPolicy wish = PlacementPolicy.copies("c", 2).prefer("lyon").near("d").build();

    assertThat(Placement.place(wish, sites, others).sites()).containsExactly("lyon", "oslo");
  }

  @Test
  void aPreferredSiteThatMayNotHoldItIsNotTaken() {
    PlacementPolicy.Builder wish =
        PlacementPolicy.copies("c", 1).prefer("utah").require("region", "eu");

    assertThat(sites(wish, List.of(UTAH, LYON))).containsExactly("lyon");
  }

  @Test
  void whatIsUsedTogetherIsKeptTogether() {
    Map<String, List<String>> others =
        Map.of("orders", List.of("rome", "utah"), "users", List.of("rome"));

    PlacementPolicy wish = PlacementPolicy.copies("c", 2).near("orders", "users").build();

    assertThat(Placement.place(wish, ALL, others).sites()).containsExactly("rome", "utah");
  }

  @Test
  void sitesAreSpreadOverALabelWhileThatIsPossible() {
    List<SiteLoad> sites =
        List.of(LYON.with(0, 0), ROME.with(10, 0), OSLO.with(50, 0), UTAH.with(90, 0));

    assertThat(sites(PlacementPolicy.copies("c", 2), sites)).containsExactly("lyon", "rome");
    assertThat(sites(PlacementPolicy.copies("c", 2).spreadBy("zone"), sites))
        .containsExactly("lyon", "oslo");
    assertThat(sites(PlacementPolicy.copies("c", 4).spreadBy("zone"), sites))
        .containsExactly("lyon", "oslo", "utah", "rome");
    assertThat(sites(PlacementPolicy.copies("c", 3).spreadBy("region"), sites))
        .containsExactly("lyon", "utah", "rome");
  }

  @Test
  void aCacheStaysForASmallAdvantageAndMovesForALargeOne() {
    Map<String, List<String>> atLyon = Map.of("c", List.of("lyon"));
    PlacementPolicy wish = PlacementPolicy.copies("c", 1).build();

    List<SiteLoad> nearlyEqual = List.of(LYON.with(120, 1), OSLO.with(80, 1));
    List<SiteLoad> unequal = List.of(LYON.with(180, 1), OSLO.with(20, 1));

    assertThat(Placement.place(wish, nearlyEqual, NONE).sites()).containsExactly("oslo");
    assertThat(Placement.place(wish, nearlyEqual, atLyon).sites()).containsExactly("lyon");
    assertThat(Placement.place(wish, unequal, atLyon).sites()).containsExactly("oslo");
  }

  @Test
  void aSiteThatDoesNotAnswerIsTakenOnlyWhenThereAreTooFew() {
    List<SiteLoad> sites = List.of(LYON.silent(), OSLO.with(900, 900), ROME.with(900, 900));
    Map<String, List<String>> there = Map.of("c", List.of("lyon"), "d", List.of("lyon"));

    PlacementResult two =
        Placement.place(
            PlacementPolicy.copies("c", 2).prefer("lyon").near("d").build(), sites, there);
    PlacementResult three =
        Placement.place(PlacementPolicy.copies("c", 3).spreadBy("zone").build(), sites, there);

    assertThat(two.sites()).containsExactlyInAnyOrder("oslo", "rome");
    assertThat(two.text()).contains("lyon: not chosen: does not answer: score ");
    assertThat(three.sites()).hasSize(3).endsWith("lyon");
    assertThat(three.text())
        .contains("lyon: chosen as number 3: does not answer, but too few others do: score ");
    assertThat(
            Placement.place(PlacementPolicy.exactly("c", List.of("lyon")).build(), sites, NONE)
                .text())
        .contains("lyon: chosen as number 1: named, does not answer");
  }

  @Test
  void aCacheThatIsOnDiskEverywhereStaysOnDisk() {
    SiteLoad fullDisk = OSLO.withDisk().with(900, 900);
    List<SiteLoad> sites =
        List.of(LYON.withDisk().in(State.DRAINING), fullDisk, ROME.with(0, 0), UTAH.with(0, 0));
    Map<String, List<String>> there = Map.of("c", List.of("lyon"), "d", List.of("rome"));
    PlacementPolicy near = PlacementPolicy.copies("c", 1).near("d").build();

    PlacementResult onDisk = Placement.place(near, sites, there);
    PlacementResult one =
        Placement.place(PlacementPolicy.copies("c", 1).ban("oslo").build(), sites, there);

    assertThat(onDisk.sites()).containsExactly("oslo");
    assertThat(onDisk.text()).contains("held 0, on disk 2400, entries");
    assertThat(one.text()).contains("on disk 0 (keeps its stores in memory), entries");
    assertThat(
            Placement.place(PlacementPolicy.copies("c", 1).prefer("utah").build(), sites, there)
                .sites())
        .as("what is wished for comes first")
        .containsExactly("utah");
    assertThat(Placement.place(PlacementPolicy.copies("d", 1).build(), sites, there).text())
        .as("it is in memory now")
        .doesNotContain("on disk");
  }

  @Test
  void whatStaysCountsUnderTheSpread() {
    List<SiteLoad> sites = List.of(LYON, OSLO, ROME.with(0, 0), UTAH.with(900, 900));
    PlacementPolicy spread = PlacementPolicy.copies("c", 2).spreadBy("zone").prefer("oslo").build();
    List<String> present = List.of("lyon", "oslo");

    PlacementResult instead =
        Placement.instead("oslo", present, spread, sites, Map.of("c", present));

    assertThat(instead.sites()).containsExactly("utah");
    assertThat(instead.text())
        .contains("lyon: excluded: has a replica already", "oslo: excluded: is being drained");
  }

  @Test
  void whoLeavesADiskComesToADisk() {
    List<SiteLoad> sites =
        List.of(LYON.withDisk(), OSLO, ROME.with(0, 0), UTAH.withDisk().with(900, 900));
    List<String> present = List.of("lyon", "oslo");
    PlacementPolicy wish = PlacementPolicy.copies("c", 2).build();

    assertThat(Placement.instead("lyon", present, wish, sites, NONE).sites())
        .containsExactly("utah");
    assertThat(Placement.instead("oslo", present, wish, sites, NONE).sites())
        .containsExactly("rome");
  }

  @Test
  void equalSitesShareTheCaches() {
    List<SiteLoad> sites = new ArrayList<>();
    for (String name : List.of("a", "b", "c", "d")) {
      sites.add(SiteLoad.serving(name, Map.of()));
    }
    Map<String, Integer> first = new java.util.TreeMap<>();
    for (int i = 0; i < 4000; i++) {
      first.merge(sites(PlacementPolicy.copies("cache" + i, 1), sites).get(0), 1, Integer::sum);
    }

    assertThat(first).hasSize(4);
    assertThat(first.values()).allSatisfy(count -> assertThat(count).isBetween(900, 1100));
  }

  @Test
  void namesThatNobodyHasAreTold() {
    PlacementPolicy wish =
        PlacementPolicy.copies("c", 1).ban("olso").prefer("romme").near("order").build();

    assertThat(Placement.place(wish, ALL, NONE).notes())
        .containsExactly(
            "banned site does not exist: olso",
            "preferred site does not exist: romme",
            "cache in 'near' does not exist: order");
  }

  @Test
  void aWishThatContradictsItselfIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PlacementPolicy.copies("c", 1).prefer("lyon").ban("lyon", "oslo").build())
        .withMessage("a site must not be both preferred and banned; cache=c sites=[lyon]");
    assertThatIllegalArgumentException().isThrownBy(() -> PlacementPolicy.copies("c", 0));
    assertThatIllegalArgumentException().isThrownBy(() -> PlacementPolicy.exactly("c", List.of()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PlacementPolicy.exactly("c", List.of("a", "a")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PlacementPolicy.copies("c", 1).near("c").build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PlacementPolicy.copies("c", 1).entries(-1).build());
    assertThatIllegalArgumentException().isThrownBy(() -> LYON.with(-1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> LYON.with(0, SiteLoad.MOST + 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sites(PlacementPolicy.copies("c", 1), List.of(LYON, LYON)));
  }

  @Test
  void theHighestFiguresDoNotOverflow() {
    List<SiteLoad> sites = new ArrayList<>();
    for (int i = 0; i < 999; i++) {
      sites.add(SiteLoad.serving("full" + i, Map.of()).with(SiteLoad.MOST, SiteLoad.MOST));
    }
    sites.add(SiteLoad.serving("empty", Map.of()).with(0, 0));

    assertThat(sites(PlacementPolicy.copies("c", 1), sites)).containsExactly("empty");
  }
}
