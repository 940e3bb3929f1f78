/**
 * Delivers versions as they are added: each once, those of a key in the order of their additions.
 * The events of the store only say where to read. The versions to deliver follow from the position
 * of each key and from its history, which numbers its versions. So no version is missed if an event
 * is lost. A process that stores its position can continue from there in another process.
 */
@NullMarked
package io.ensemble.versioning.listen;

import org.jspecify.annotations.NullMarked;
