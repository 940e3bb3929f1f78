/**
 * Tells of versions as they are added: each once, of each key in the order in which they were. The
 * store's events say only where to look; what is told follows from how far each key was told, and
 * from what its history says, which numbers its versions. So nothing is lost that an event was lost
 * of, and whoever keeps how far it came goes on from there in another process.
 */
@NullMarked
package io.ensemble.versioning.listen;

import org.jspecify.annotations.NullMarked;
