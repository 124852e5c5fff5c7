-- links.lua - a filter of pandoc(1): links to pages of Markdown become links to
-- the pages made of them; other files of the project keep their place.
local function page(target)
  if target:match('^%a+:') or target:match('^#') then
    return target
  end
  return (target:gsub('README%.md', 'index.html'):gsub('%.md', '.html'))
end

function Link(link)
  link.target = page(link.target)
  return link
end
