package io.ensemble.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TreePathTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a/b",
        "//",
        "/a/",
        "/a//b",
        "/.",
        "/..",
        "/a/../b",
        "/a/./b",
        "/\0",
        "/a\n",
        "/\uffff",
        "/\ud800",
        "/a\udc00"
      })
  void anAbsurdPathIsRefused(String path) {
    assertThatIllegalArgumentException().isThrownBy(() -> TreePath.of(path));
  }

  @Test
  void lengthAndDepthAreBounded() {
    String name = "n".repeat(TreePath.LONGEST_NAME);
    assertThat(TreePath.of("/" + name).name()).isEqualTo(name);
    assertThatIllegalArgumentException().isThrownBy(() -> TreePath.of("/" + name + "n"));
    assertThat(TreePath.of("/a".repeat(TreePath.DEEPEST)).depth()).isEqualTo(TreePath.DEEPEST);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TreePath.of("/a".repeat(TreePath.DEEPEST + 1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TreePath.of(("/" + "b".repeat(200)).repeat(15)));
    assertThatIllegalArgumentException().isThrownBy(() -> TreePath.ROOT.child("a/b"));
    assertThatIllegalArgumentException().isThrownBy(() -> TreePath.ROOT.child(".."));
  }

  @Test
  void aNodeComesDirectlyBeforeWhatIsBelowIt() {
    List<String> sorted =
        List.of(
            "/", "/a", "/a/b", "/a/b/c", "/a/\ufffe", "/a ", "/a!", "/a-b", "/a.b", "/aa", "/😀");
    TreeSet<TreePath> paths = new TreeSet<>();
    sorted.forEach(path -> paths.add(TreePath.of(path)));

    assertThat(paths).extracting(TreePath::toString).containsExactlyElementsOf(sorted);
    TreePath a = TreePath.of("/a");
    assertThat(paths.higher(a.afterSubtree())).isEqualTo(TreePath.of("/a "));
    assertThat(paths.higher(TreePath.ROOT.afterSubtree())).isNull();
    assertThat(TreePath.reserved("usage", "ada")).isGreaterThan(TreePath.ROOT.afterSubtree());
    assertThat(TreePath.ROOT.contains(TreePath.reserved("usage", "ada"))).isFalse();
  }

  @Test
  void partsOfAPathAreFound() {
    TreePath path = TreePath.of("/a/b/c");

    assertThat(path.parent()).isEqualTo(TreePath.of("/a/b"));
    assertThat(TreePath.of("/a").parent()).isEqualTo(TreePath.ROOT);
    assertThat(TreePath.ROOT.parent()).isNull();
    assertThat(TreePath.of("/a").contains(path)).isTrue();
    assertThat(TreePath.of("/a/b/cd").contains(path)).isFalse();
    assertThat(path.contains(TreePath.of("/a/b/cd"))).isFalse();
  }
}
