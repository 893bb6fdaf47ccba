/**
 * Runs in the head of the page if it opens on a timeline, before any other script has been loaded:
 * requests the code of the view (the build fills in its FILES) and the two answers that its first tile
 * needs, so that one round trip brings all of them. The transport hands out the answers. Selected
 * devices and hosts are part of the request, which the page makes itself then.
 */
(function () {
  var route = /^#\/s\/([\w.~-]+)\/timeline\/?(?:\?(.*))?$/.exec(location.hash);
  if (!route || /^\d+$/.test(route[1])) return;
  var session = 'api/sessions/' + route[1];
  var urls = [session];
  if (!/(?:^|&)(?:device|host)=/.test(route[2])) urls.unshift(session + '/analyses/timeline');
  window.stepscopeAsked = {};
  urls.forEach(function (url) {
    var answer = fetch(url, { headers: { accept: 'application/json' } });
    answer.catch(function () {});
    window.stepscopeAsked[url] = answer;
  });
  var add = function (rel, file) {
    var link = document.createElement('link');
    link.rel = rel;
    if (rel === 'preload') link.as = 'style';
    link.crossOrigin = '';
    link.href = file;
    document.head.append(link);
  };
  var styles = FILES.filter(function (file) {
    var isStyle = /css$/.test(file);
    add(isStyle ? 'preload' : 'modulepreload', file);
    return isStyle;
  });
  // Below those of the page, which they refine. The code of the view does not wait for them then.
  document.addEventListener('readystatechange', function () {
    while (styles.length) add('stylesheet', styles.shift());
  });
})();
