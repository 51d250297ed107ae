// A queue of places that are decided one after the other, by keys that work from anywhere but text fields. Each page has
// its own isMarked(place), keepPosition() and drawReview().

const review = { queue: "", places: [], at: 0 };

const current = () => review.places[review.at];

function goToPlace(at) {
  if (at < 0 || at >= review.places.length) {
    tell(at < 0 ? "This is the first place." : "This is the last place.");
    return;
  }
  review.at = at;
  keepPosition();
  drawReview();
  $("card").focus({ preventScroll: true });
  $("review-state").scrollIntoView({ block: "nearest" });
  $("card").scrollIntoView({ block: "nearest" });
}

function goToUnmarked() {
  const after = review.places.findIndex((place, i) => i > review.at && !isMarked(place));
  const found = after < 0 ? review.places.findIndex((place) => !isMarked(place)) : after;
  if (found < 0) tell("Every place has a mark.");
  else goToPlace(found);
}

const tell = (words) => ($("review-notice").textContent = words);

function drawProgress() {
  const done = review.places.filter(isMarked).length;
  const all = review.places.length;
  tell("");
  $("review-state").hidden = !review.queue;
  $("review-bar").max = Math.max(all, 1);
  $("review-bar").value = done;
  $("review-done").textContent = all ? `Place ${number(review.at + 1)} of ${number(all)}: ${number(done)} done, ${number(all - done)} left` : "Nothing to review here";
}

const isTextField = (target) => Boolean(target.closest("textarea, select, [contenteditable], input:not([type='checkbox'], [type='file'], [type='radio'])"));
