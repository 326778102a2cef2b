import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.neo4j.configuration.Config;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.harness.Neo4jBuilders;
import org.neo4j.kernel.internal.GraphDatabaseAPI;

/** A Neo4j on a free port, in DIRECTORY, with PASSWORD and perhaps read-only; prints its URI, ends when stdin closes. */
public class Server {
    public static void main(String[] directoryAndPassword) throws Exception {
        var builder = Neo4jBuilders.newInProcessBuilder(Path.of(directoryAndPassword[0]))
                .withConfig(GraphDatabaseSettings.auth_enabled, true)
                .withConfig(GraphDatabaseSettings.pagecache_memory, 64L << 20)
                .withConfig(GraphDatabaseSettings.cypher_min_replan_interval, Duration.ofHours(1))
                .withConfig(BoltConnector.listen_address, new SocketAddress("127.0.0.1", 0))
                .withDisabledServer();
        try (var neo4j = builder.build()) {
            neo4j.databaseManagementService().database("system").executeTransactionally(
                    "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
                    Map.of("password", directoryAndPassword[1]));
            if (directoryAndPassword.length > 2) {
                var api = (GraphDatabaseAPI) neo4j.defaultDatabaseService();
                api.getDependencyResolver().resolveDependency(Config.class)
                        .setDynamic(GraphDatabaseSettings.read_only_databases, Set.of("neo4j"), "read-only");
            }
            System.out.println(neo4j.boltURI());
            while (System.in.read() >= 0) { }
        }
    }
}
