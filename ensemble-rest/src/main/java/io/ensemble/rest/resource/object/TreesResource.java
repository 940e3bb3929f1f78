package io.ensemble.rest.resource.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.entry.EntryListResource;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.SharedTreeBuilder;
import io.ensemble.tree.TreeNode;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeResult;
import io.ensemble.tree.TreeTransaction;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Shared trees on MWMR caches: {@link SharedTree}, by name, as the administrator of the tree. A
 * request is one transaction.
 */
public final class TreesResource {

  private static final String TAG = "trees";
  private static final String PATH = "/caches/{cache}/trees/{tree}";
  private static final int MOST_STEPS = 1_000;
  private static final int MOST_CHILDREN = 10_000;
  private static final int MOST_NAME = 200;

  /** What a step does. */
  private enum StepKind {
    WRITE,
    CREATE,
    REMOVE
  }

  private record TreeStep(StepKind kind, String path, byte[] value) {}

  private record TreeCheck(String path, long modified) {}

  private final RestContext context;
  private final ObjectFactoryCache objects;

  public TreesResource(RestContext context, ObjectFactoryCache objects) {
    this.context = context;
    this.objects = objects;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            PATH + "/node",
            Role.READ,
            0,
            describe("getTreeNode", "Returns a node of a tree.")
                .query("path", "TreePath", "The path of the node.")
                .json(200, "The node", "TreeNode"),
            this::node),
        new RestRoute(
            HttpMethod.GET,
            PATH + "/children",
            Role.READ,
            0,
            describe("listTreeChildren", "Lists the names of the children of a node, in order.")
                .query("path", "TreePath", "The path of the node; default: the root.")
                .query("after", "string", "Only names after this one.")
                .query("limit", "ListingLimit", "The maximum number of names; default: 10,000.")
                .json(200, "The names", "TreeChildren"),
            this::children),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/transactions",
            Role.WRITE,
            context.limits().jsonBytes(),
            describe(
                    "changeTree",
                    "Changes nodes of a tree in one transaction, if each checked node is as it "
                        + "was. An absent tree is created.")
                .takes("application/json", "TreeRequest")
                .json(200, "The number of the commit", "TreeCommit")
                .fails(ProblemType.PRECONDITION_FAILED, ProblemType.UNSUPPORTED_TYPE),
            this::change));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary)
        .fails(ProblemType.CONFLICT, ProblemType.SITES_UNAVAILABLE, ProblemType.UNKNOWN_OUTCOME);
  }

  private <T> CompletionStage<TreeResult<T>> transact(
      AuthorizedRequest request,
      boolean creates,
      Function<? super TreeTransaction, ? extends T> body) {
    String name = objects.checkName(request.path("tree"));
    if (name.length() > MOST_NAME) {
      throw Problem.invalid(
          "tree", "a name of at most %d characters".formatted(MOST_NAME), name.length() + "");
    }
    return objects.call(
        request.path("cache"),
        !creates,
        cacheObjects ->
            cacheObjects
                .trees()
                .call(
                    name,
                    () -> open(cacheObjects.factory(), name, creates),
                    tree -> context.workers().waitFor(request, () -> tree.commit(body))));
  }

  private SharedTree open(AtomicObjectFactory factory, String name, boolean creates) {
    SharedTreeBuilder tree = SharedTree.builder(factory, name).pageCache(objects.treePages());
    return creates ? tree.open() : tree.openExisting();
  }

  private static String path(String field, String path) {
    try {
      return TreePath.of(path).toString();
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(field, String.valueOf(e.getMessage()), Problem.abbreviate(path));
    }
  }

  private CompletionStage<RestResponse> node(AuthorizedRequest request) {
    String path =
        path(
            "path",
            request
                .head()
                .query("path")
                .orElseThrow(() -> Problem.invalid("path", "the path of a node", "nothing")));
    return this.<Optional<TreeNode>>transact(request, false, t -> t.node(path))
        .thenApply(
            result ->
                RestResponse.json(
                    200,
                    describe(
                        result.value().orElseThrow(() -> Problem.notFound("node", path)),
                        result.base())));
  }

  private static Object describe(TreeNode node, long commit) {
    String text = null;
    try {
      text = UTF_8.newDecoder().decode(ByteBuffer.wrap(node.value())).toString();
    } catch (CharacterCodingException notText) {
      // Written as base64 below.
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("path", node.path().toString());
    fields.put(
        text == null ? "base64" : "text",
        text == null ? Base64.getEncoder().encodeToString(node.value()) : text);
    fields.put("owner", node.permissions().owner());
    fields.put("created", node.created());
    fields.put("modified", node.modified());
    fields.put("childrenModified", node.childrenModified());
    fields.put("commit", commit);
    return fields;
  }

  private CompletionStage<RestResponse> children(AuthorizedRequest request) {
    String path = path("path", request.head().query("path").orElse("/"));
    String after = request.head().query("after").orElse("");
    if (after.indexOf('/') >= 0) {
      throw Problem.invalid("after", "a name, without '/'", after);
    }
    int limit = EntryListResource.readLimit(request.head(), MOST_CHILDREN, MOST_CHILDREN);
    return this.<List<String>>transact(request, false, t -> t.children(path, after, limit + 1))
        .thenApply(
            result -> {
              List<String> names = result.value();
              boolean more = names.size() > limit;
              return RestResponse.json(
                  200,
                  StrictJson.object(
                      "children",
                      more ? names.subList(0, limit) : names,
                      "more",
                      more,
                      "commit",
                      result.base()));
            });
  }

  private CompletionStage<RestResponse> change(AuthorizedRequest request) {
    JsonFields fields = JsonFields.of(request, "checks", "steps");
    List<TreeCheck> checks = new ArrayList<>();
    for (JsonFields check :
        fields.objects("checks", MOST_STEPS, "path", "modified").orElse(List.of())) {
      checks.add(
          new TreeCheck(
              path(check.fullName("path"), check.needed("path")),
              check.neededNumber("modified", 0, Long.MAX_VALUE)));
    }
    List<TreeStep> steps = new ArrayList<>();
    for (JsonFields step :
        fields.objects("steps", MOST_STEPS, "op", "path", "text", "base64").orElse(List.of())) {
      steps.add(step(step));
    }
    if (steps.isEmpty()) {
      throw Problem.invalid("steps", "at least one step", "none");
    }
    return this.<Boolean>transact(request, true, t -> make(t, checks, steps))
        .thenApply(result -> RestResponse.json(200, Map.of("commit", result.commit())));
  }

  private static TreeStep step(JsonFields step) {
    StepKind kind =
        step.choice("op", StepKind.class)
            .orElseThrow(
                () -> Problem.invalid(step.fullName("op"), "WRITE, CREATE or REMOVE", "nothing"));
    String path = path(step.fullName("path"), step.needed("path"));
    Optional<String> text = step.text("text");
    Optional<String> base64 = step.text("base64");
    boolean hasValue = text.isPresent() != base64.isPresent();
    if (kind == StepKind.REMOVE ? text.isPresent() || base64.isPresent() : !hasValue) {
      throw Problem.invalid(
          step.fullName("text"),
          kind == StepKind.REMOVE ? "no value" : "either 'text' or 'base64'",
          text.isPresent() && base64.isPresent() ? "both" : hasValue ? "a value" : "none");
    }
    if (kind == StepKind.REMOVE && path.equals("/")) {
      throw Problem.invalid(step.fullName("path"), "a node below the root", "/");
    }
    try {
      return new TreeStep(
          kind,
          path,
          base64.map(Base64.getDecoder()::decode).orElseGet(() -> text.orElse("").getBytes(UTF_8)));
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(step.fullName("base64"), "base64", String.valueOf(e.getMessage()));
    }
  }

  private static boolean make(
      TreeTransaction transaction, List<TreeCheck> checks, List<TreeStep> steps) {
    for (TreeCheck check : checks) {
      long modified = transaction.node(check.path).map(TreeNode::modified).orElse(0L);
      if (modified != check.modified) {
        throw new ProblemException(
            Problem.bare(
                    ProblemType.PRECONDITION_FAILED,
                    "a node was changed by commit %d; expected %d"
                        .formatted(modified, check.modified))
                .with("path", check.path));
      }
    }
    for (TreeStep step : steps) {
      switch (step.kind) {
        case WRITE -> transaction.write(step.path, step.value);
        case CREATE -> transaction.create(step.path, step.value);
        case REMOVE -> transaction.remove(step.path);
      }
    }
    return true;
  }
}
